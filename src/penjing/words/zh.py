"""The Chinese sentences; terms as in the watermelon book."""

WORDS: dict[str, str] = {
    # tree, in counts
    "leaves": "{n} 个叶结点",
    # data
    "no_rows": "{source} 只有表头，没有数据行。生成决策树至少需要一行数据。",
    # choices
    "unknown_column": "表中没有列“{word}”。现有的列：{known}。",
    "unknown_column_near": "表中没有列“{word}”。现有的列：{known}。\n是不是“{near}”？",
    "unknown_plug": "{socket} 没有“{word}”。可选：{known}。",
    "unknown_plug_near": "{socket} 没有“{word}”。可选：{known}。最接近的是 {near}。",
    "unknown_setting": "“{word}”不是配方的设置。可用的设置：{known}。",
    "unknown_setting_near": "“{word}”不是配方的设置。可用的设置：{known}。\n是不是“{near}”？",
    "bad_setting": "{name}={value!r} 不能用：{expected}。",
}
