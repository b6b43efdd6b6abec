"""Chinese questions: the asking words stand where the answer stood, as the grammar has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from raterbook.judges.questions.rules.spans import (
    LONGEST_SENTENCE,
    Span,
    apart,
    before,
    sentence_bounds,
)

LONGEST = 70  # characters of a question
_TOPIC = re.compile(r"^[^，。；：]{2,14}?(?=位于|是|由|东起|旧称|始建|于\d|\d|，|。)")
_ENDS = "，；。：！？"


def chinese_questions(text: str) -> Iterator[tuple[str, Span]]:
    """Question and answer for every span; where the topic is not named, it is put in front."""
    found = _TOPIC.match(text)
    topic = found[0] if found and not found[0][0].isdigit() else ""
    spans = chinese_spans(text)
    for start, end in sentence_bounds(text):
        if end - start > LONGEST_SENTENCE:
            continue
        for span in spans:
            if start <= span.start and span.end <= end:
                yield _question(text, start, end, span, topic), span


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Where clauses end, quotations left whole."""
    depth, found = 0, []
    for place in range(start, end):
        depth += (text[place] in "“《（") - (text[place] in "”》）")
        if depth <= 0 and text[place] in _ENDS:
            found.append(place)
    return found


def _question(text: str, start: int, end: int, span: Span, topic: str) -> str:
    cuts = _cuts(text, start, end)
    after = [place for place in cuts if place >= span.end]
    begin = max((place + 1 for place in cuts if place < span.start), default=start)
    if len(after) > 1 and begin == span.start and after[0] == span.end:
        after = after[1:]  # “5月15日，…”: the date by itself says nothing
    end = after[0] if after else end
    for place in cuts:
        if end - start > LONGEST - 16 and place < begin:
            start = place + 1
    said = f"{text[start : span.start]}{span.asks}{text[span.end : end]}".strip(_ENDS + " ")
    if topic and topic not in said and topic not in span.text:
        said = f"关于{topic}，{said}"
    return f"{said}？"


# Dates, figures, names and noun phrases in Chinese, by pattern: words are not cut.


_DATE = re.compile(
    r"(?:公元前\d{1,4}年|(?<![约近达为至超\d.])\d{4}年)(?:\d{1,2}月(?:\d{1,2}日)?)?底?"
    r"|(?<!\d)\d{1,2}月\d{1,2}日"
)
_UNIT = (
    "平方公里|平方千米|立方米|平方米|万吨级|公里|千米|厘米|毫米|米|公顷|亩|吨|公斤|千克|克|升|级|"
    "个火星日|个月|小时|分钟|年|天|秒|岁|亿元|万元|元人民币|元|万余两白银|只|位|人|件|座|节|个|条|项|"
    "处|种|次|倍|度|名|艘|辆|本|所|家|批"
)
_DIGITS = r"\d[\d,]*(?:\.\d+)?(?:亿|万|千|百)*余?"
_WORDS = "[一二两三四五六七八九十百千万][一二三四五六七八九十百千万多余]*"
_FIGURE = re.compile(rf"(?P<number>(?<![\d.])(?:{_DIGITS}))(?P<unit>{_UNIT})")
_WRITTEN = re.compile(
    r"(?P<number>(?<![第一二三四五六七八九十百千万])[二两三四五六七八九十百千万]"
    r"[一二三四五六七八九十百千万多余]*)(?P<unit>小时|座|个|位|件|项|种|次|部分|年|天)"
)
_SHARE = re.compile(rf"\d+(?:\.\d+)?[%％]|{_WORDS}分之{_WORDS}|[一二三四五六七八九]成")
_TITLE = re.compile(r"《[^》]{1,20}》")
_QUOTED = re.compile(r"“(?P<inside>[^”，。]{1,8})”")
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾"
    "丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤"
    "尹黎易常武乔贺赖龚文詹屠葛溥"
)
_DOES = "主持|担任|获得|率领|带领|采用|发现|提出|领导|设计|被|任|说|写|建|创"
_PERSON = re.compile(
    rf"(?:(?<=[，。；的由是、])|(?<=太守)|(?<=皇帝)|(?<=工程师)|^)(?P<name>[{_SURNAMES}][一-鿿]{{1,2}})"
    rf"(?={_DOES}|于公元)"
)
_PLACE = re.compile(
    r"(?:位于|坐落于|着陆于|通往|(?<=[0-9日])在)(?P<name>[一-鿿]{2,16}?)"
    r"(?=[，。；]|的[一-鿿]{1,4}上|举行|由|全长|将|建成|成立)"
)
_ITEM = re.compile("、(?P<name>[一-鿿]{2,8}?)(?=[、和与及])")
_IS = re.compile(
    "(?:旧称|代号|简称|又称|是(?=中国|世界|现存))(?P<name>[^，。；]{2,24})(?=[，。；])"
)


@lru_cache(maxsize=256)
def chinese_spans(text: str) -> tuple[Span, ...]:
    """What can be asked for, none overlapping another, in order."""
    return apart([*_dates(text), *_figures(text), *_names(text), *_phrases(text)])


def _dates(text: str) -> Iterator[Span]:
    for found in _DATE.finditer(text):
        whole = found[0]
        asks = "哪一天" if "日" in whole else "哪年哪月" if "月" in whole else "哪一年"
        yield Span("date", found.start(), found.end(), whole, asks)


def _figures(text: str) -> Iterator[Span]:
    for found in _SHARE.finditer(text):
        yield Span("figure", found.start(), found.end(), found[0], "多大比例")
    for pattern in (_FIGURE, _WRITTEN):
        for found in pattern.finditer(text):
            is_year = found["unit"] == "年" and re.fullmatch(r"\d{4}", found["number"])
            reign = text[found.end() : found.end() + 1] == "（"
            if is_year or reign or before(text, found.start()).endswith(("第", "号", "上")):
                continue
            asks = f"多少{found['unit']}"
            yield Span("figure", found.start(), found.end(), found[0], asks, found["unit"])


def _names(text: str) -> Iterator[Span]:
    for found in _TITLE.finditer(text):
        yield Span("name", found.start(), found.end(), found[0], "哪一部文献或名录")
    for found in _PERSON.finditer(text):
        yield _of(found, "name", "谁")
    for found in _PLACE.finditer(text):
        yield _of(found, "name", "哪里")


def _phrases(text: str) -> Iterator[Span]:
    for found in _QUOTED.finditer(text):
        yield Span("phrase", found.start("inside"), found.end("inside"), found["inside"], "什么")
    for pattern in (_ITEM, _IS):
        for found in pattern.finditer(text):
            yield _of(found, "phrase", "什么")


def _of(found: re.Match[str], kind: str, asks: str) -> Span:
    return Span(kind, found.start("name"), found.end("name"), found["name"], asks)
