"""The encoding ladder: every rung, what it must not take, and what it says."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penjing.data.read import read
from penjing.data.read.text_encoding import common_share, decode
from penjing.errors import ChoiceError, DataError
from shared import shared

SIMPLIFIED = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
    "子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体"
    "制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内"
)
TRADITIONAL = (
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過"
    "子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體"
    "製機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內"
)
WESTERN = "abcdefghijklmnopqrstuvwxyz \n"
ACCENTS = "éèêëàâäîïôöùûüçñßÉÈÀÄÖÜÑ"


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "UTF-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
        (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    ],
)
def test_a_mark_decides(mark, codec, name):
    assert decode(mark + "色泽,好瓜".encode(codec), "x") == ("色泽,好瓜", name, "bom")


def test_a_mark_before_another_encoding_is_passed_over():
    data = codecs.BOM_UTF8 + "色泽,根蒂,敲声,好瓜".encode("gbk")
    assert decode(data, "x")[:2] == ("色泽,根蒂,敲声,好瓜", "GB18030")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=200))
def test_utf8_comes_back(text):
    assume(not text.startswith("\ufeff"))
    assert decode(text.encode(), "x") == (text, "UTF-8", "valid_utf8")


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.lists(st.text(SIMPLIFIED, min_size=2, max_size=8), min_size=5, max_size=30))
def test_gbk_comes_back(words):
    text = ",".join(words)
    data = text.encode("gbk")
    assume(not is_utf8(data))  # a text of nothing but 一 is both; valid UTF-8 comes first
    found, name, _ = decode(data, "x")
    assert (found, name) == (text, "GB18030")


@given(st.lists(st.text(TRADITIONAL, min_size=2, max_size=8), min_size=12, max_size=30))
def test_big5_comes_back(words):
    text = ",".join(words)
    found, name, _ = decode(text.encode("big5"), "x")
    assert (found, name) == (text, "Big5")


@given(st.lists(st.text(WESTERN, min_size=3, max_size=9), min_size=3, max_size=40), st.data())
def test_western_text_comes_back(words, data):
    places = data.draw(st.lists(st.sampled_from(ACCENTS), min_size=len(words), max_size=len(words)))
    text = ",".join(
        word[:2] + accent + word[2:] for word, accent in zip(words, places, strict=True)
    )
    found, name, reason = decode(text.encode("cp1252"), "x")
    assert (found, name, reason) == (text, "cp1252", "not_utf8_not_chinese")


def test_a_strict_decode_is_not_proof():
    for text in ("éa,éb,càd", "Müller,Größe,Jürgen", "señor,año,niño"):
        assert text.encode("cp1252").decode("gb18030", "replace") != text
        assert decode(text.encode("cp1252"), "x")[1] == "cp1252"


def test_russian_text_is_not_taken_for_chinese():
    data = "Москва,Россия,Пермь,дерево,решений".encode("cp1251")
    assert decode(data, "x")[1] not in ("GB18030", "Big5")


def test_text_in_no_encoding_of_the_ladder_is_not_called_binary():
    data = "色,クラス\n赤,はい\n青,いいえ\n".encode("shift_jis")
    with pytest.raises(DataError, match="does not look like GB18030, Big5 or cp1252"):
        decode(data, "x")
    assert decode(data, "x", "shift_jis")[0].startswith("色,クラス")


FOUR_BYTE_CHARACTERS = "½٣١e\u0301☂한글हाँñøŁ𠀀🌲ﬀ"


@settings(max_examples=100)
@given(st.text(FOUR_BYTE_CHARACTERS + "ab1,\n甲乙", min_size=1))
def test_characters_of_four_bytes_are_gb18030(text):
    """Such as Arabic digits, combining accents and emoji, which GBK does not have."""
    data = ("名," + text).encode("gb18030")
    assert decode(data, "x")[:2] == ("名," + text, "GB18030")
    alone = "".join(c for c in text if len(c.encode("gb18030")) in (1, 4))
    if not alone.isascii():
        assert decode(alone.encode("gb18030"), "x")[:2] == (alone, "GB18030")


def test_letters_between_digits_are_not_characters_of_four_bytes():
    for text in ("é1è2,à3à4", "Á1Ã2", "°1°2;1", "ß0ü9"):
        assert decode(text.encode("cp1252"), "x")[:2] == (text, "cp1252")


def test_a_mark_is_the_reason_that_is_given():
    table = read("a\tclass\n1\tp\n2\tq\n".encode("utf-16"))
    assert table.notes[0].key == "note_encoding_mark"
    assert table.source["encoding"] == "UTF-16"


def test_common_characters_are_read_off_the_codec():
    assert common_share("色泽", "gb18030") == 1.0
    assert common_share("蜷", "gb18030") == 0.5  # second level
    assert common_share("abc", "gb18030") == 0.0
    assert common_share("顏色", "big5") == 1.0


def test_what_was_told_wins():
    data = "好瓜".encode("gbk")
    assert decode(data, "x", "gbk") == ("好瓜", "GBK", "told")
    assert decode("\ufeff好瓜".encode(), "x", "utf-8") == ("好瓜", "UTF-8", "told")
    assert decode("好瓜".encode("utf-16-le"), "x", "utf-16-le")[0] == "好瓜"


def test_a_wrong_word_for_the_encoding():
    with pytest.raises(ChoiceError, match="unknown encoding 'klingon'"):
        decode(b"a", "x", "klingon")
    with pytest.raises(ChoiceError, match="unknown encoding 'base64'"):
        decode(b"a", "x", "base64")
    with pytest.raises(DataError, match="x, line 2: the bytes are not valid UTF-8"):
        decode(b"a\n\xff", "x", "utf-8")


def test_utf8_with_a_wrong_byte_is_refused_with_its_line():
    good = "青绿,蜷缩,浊响\n" * 20
    data = good.encode() + b"\xe9\xff\n" + good.encode()
    with pytest.raises(DataError, match="line 21: the bytes are not valid UTF-8"):
        decode(data, "x")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"PK\x03\x04\x14\x00\x06\x00\x08\x00",
        bytes(range(1, 256)) * 20,
        b"a,b\n1,\0\n",
        b"\x01\x02\x03\x04" * 10,
        codecs.BOM_UTF16_LE + b"\x01\x00\x02\x00" * 9,
    ],
)
def test_junk_is_refused_in_one_sentence(data):
    with pytest.raises(DataError) as caught:
        decode(data, "junk.csv")
    assert caught.value.key in ("binary_file", "not_decodable")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["train1", "test1", "train2", "test2"])
def test_the_homework_is_gb18030_and_says_so(name):
    table = read(shared(f"data/watermelon-course/Watermelon-{name}.csv"))
    assert table.source["encoding"] == "GB18030"
    assert table.source["encoding_reason"] == "not_utf8_common_hanzi"
    assert table.notes[0].key == "note_encoding"
    assert table.left_out == (("编号", "id"),)


def test_one_table_in_five_encodings_is_one_table():
    text = shared("data/watermelon-book/watermelon3.0.csv").read_bytes().decode("utf-8-sig")
    tables = [
        read(text.encode(codec)) for codec in ("utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16")
    ]
    for table in tables[1:]:
        assert list(table.rows()) == list(tables[0].rows())
        assert table.left_out == tables[0].left_out


def test_a_lost_mark_before_an_id_is_dropped_and_noted():
    table = read(shared("data/watermelon-book/watermelon3.0-gbk-lost-bom.csv"))
    assert table.left_out == (("编号", "id"),)
    assert "note_stray_mark" in [note.key for note in table.notes]
    other = read(b"?colour,class\nred,1\nblue,0\n")
    assert other.names == ("?colour",)
    assert "note_stray_mark" not in [note.key for note in other.notes]
