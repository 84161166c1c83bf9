"""What random tables are about: names of columns, categories and classes, in each language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """The words of a table.

    Parameters
    ----------
    target : str
        The name of the target.
    classes : tuple of str
        Its classes.
    columns : dict
        The categories of each column.
    """

    target: str
    classes: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]


TOPICS: dict[str, tuple[Topic, ...]] = {
    "en": (
        Topic(
            "hike",
            ("yes", "no"),
            {
                "sky": ("sunny", "cloudy", "rainy"),
                "wind": ("calm", "strong"),
                "temperature": ("warm", "mild", "cold"),
                "path": ("dry", "muddy"),
                "company": ("alone", "friends", "family"),
                "distance": ("short", "long"),
            },
        ),
        Topic(
            "ripe",
            ("yes", "no"),
            {
                "colour": ("green", "yellow", "red"),
                "smell": ("faint", "sweet"),
                "skin": ("smooth", "rough"),
                "size": ("small", "medium", "large"),
                "sound": ("dull", "clear"),
                "stem": ("fresh", "curled", "dry"),
            },
        ),
        Topic(
            "borrow",
            ("yes", "no"),
            {
                "genre": ("novel", "science", "history"),
                "length": ("short", "long"),
                "cover": ("new", "worn"),
                "pictures": ("few", "many"),
                "author": ("known", "unknown"),
                "print": ("small", "normal", "large"),
            },
        ),
        Topic(
            "repair",
            ("yes", "no"),
            {
                "brakes": ("good", "weak"),
                "tyres": ("new", "used", "flat"),
                "chain": ("clean", "rusty"),
                "frame": ("steel", "aluminium", "carbon"),
                "lights": ("on", "off"),
                "saddle": ("soft", "hard"),
            },
        ),
    ),
    "zh": (
        Topic(
            "登山",
            ("是", "否"),
            {
                "天气": ("晴", "多云", "雨"),
                "风力": ("微风", "大风"),
                "气温": ("暖和", "凉爽", "寒冷"),
                "路面": ("干燥", "泥泞"),
                "同伴": ("独自", "朋友", "家人"),
                "路程": ("短", "长"),
            },
        ),
        Topic(
            "成熟",
            ("是", "否"),
            {
                "颜色": ("青", "黄", "红"),
                "气味": ("清淡", "香甜"),
                "表皮": ("光滑", "粗糙"),
                "大小": ("小", "中", "大"),
                "声音": ("沉闷", "清脆"),
                "果柄": ("新鲜", "卷曲", "干枯"),
            },
        ),
        Topic(
            "借阅",
            ("是", "否"),
            {
                "类型": ("小说", "科普", "历史"),
                "篇幅": ("短", "长"),
                "封面": ("新", "旧"),
                "插图": ("少", "多"),
                "作者": ("熟悉", "陌生"),
                "字号": ("小", "中", "大"),
            },
        ),
        Topic(
            "维修",
            ("是", "否"),
            {
                "刹车": ("灵敏", "迟钝"),
                "轮胎": ("新", "旧", "漏气"),
                "链条": ("干净", "生锈"),
                "车架": ("钢", "铝", "碳纤维"),
                "车灯": ("亮", "不亮"),
                "坐垫": ("软", "硬"),
            },
        ),
    ),
}
"""The topics of each language."""
