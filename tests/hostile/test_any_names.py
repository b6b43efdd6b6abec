"""Whatever Hypothesis calls raters, models, systems, items, groups and rounds: page or refusal."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raterbook.protocols import load
from raterbook.rounds import ItemTable, RoundError, Store
from raterbook.rounds.raters import look
from tests.hostile.way import Names, opened, seen

ODD = (
    *("../../x", "C:\\x", "..", "CON", "meta-llama/Llama-3.1-8B-Instruct", "a\\b/c:d*?"),
    *("=1+1", "@SUM(A1)", "$x^2$", r"a $\frac{$ b", r"\rule{9em}{9em}", "${HOME}", "{{7*7}}"),
    *("<script>1</script>", "<!--", "]]>", "&lt;", "# x", "| y |", "`z`", "[l](javascript:1)"),
    *("\x1b[31m", "\u202eabc", "a\u200bb", "a\u00a0b", "None", "nan", "-0", "1e999", "·", "− †"),
)
# A file in UTF-8 holds every sign but the halves of pairs, and its reader refuses NUL.
anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
names = st.one_of(
    st.sampled_from(ODD),
    anything,
    st.builds(lambda one, two: one + two, st.sampled_from(ODD), anything),
    st.builds(lambda sign, many: sign * many, st.characters(categories=["L", "S"]), st.just(200)),
)
# What is most often refused is drawn apart, below.
readable = names.map(
    lambda name: " ".join("".join(c if c.isprintable() else " " for c in name).split())[:128]
).filter(look)
shown = names.map(str.strip).filter(look)


def several(strategy, least, most):
    return st.lists(strategy, min_size=least, max_size=most, unique_by=lambda n: look(n).casefold())


rounds = st.builds(
    Names,
    raters=several(readable, 2, 4),
    models=several(readable.map(lambda name: f"m{name}"[:128].strip()), 0, 2),
    systems=several(shown, 2, 4),
    items=several(shown, 0, 5),
    topics=several(shown, 2, 4),
    round=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", fullmatch=True),
)


def test_any_names_come_to_the_page_whole_and_apart_or_are_refused_with_a_reason():
    arrived, refused = [], []

    @settings(max_examples=14, deadline=None, suppress_health_check=list(HealthCheck))
    @given(rounds)
    def travels(given_):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            try:
                stored = opened(folder, given_)
            except ValueError as error:
                refused.append(error)
                return
            assert seen(folder, stored, given_) is None
            arrived.append(given_)

    travels()
    assert len(arrived) >= 5
    assert not [error for error in refused if isinstance(error, UnicodeError)]
    assert not [error for error in refused if len(str(error).split()) < 6]


def test_any_text_is_a_name_or_is_refused_in_words(tmp_path):
    protocol = load("halo-support")
    fields = [name for name in protocol.item.fields if name != "auto_label"]
    table = ItemTable.from_records(
        protocol, [{**{name: f"{name} 1" for name in fields}, "auto_label": "SUPPORTED"}]
    )
    store = Store(tmp_path / "any.sqlite")
    stored, refusals = store.open("r", protocol, table), []

    @settings(max_examples=120, deadline=None)
    @given(st.one_of(names, st.text(max_size=140)))
    def tried(name):
        before = {each.name for each in stored.raters()}
        try:
            stored.add_rater(name)
        except RoundError as error:
            refusals.append(str(error))
            assert {each.name for each in stored.raters()} == before
        else:
            assert {each.name for each in stored.raters()} == {*before, name}
        try:
            store.open(name, protocol, table)
        except RoundError as error:
            refusals.append(str(error))
        assert len({each.casefold() for each in store.rounds()}) == len(store.rounds())

    tried()
    assert not [said for said in refusals if "name" not in said]
