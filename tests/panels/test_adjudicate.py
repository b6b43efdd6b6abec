"""The adjudicator's panel, by setting its widgets and clicking its buttons."""

import re

import pytest

from raterbook import Workspace
from raterbook.numbers.disputes import BY, Disputes, disputes, undecided
from raterbook.panels.adjudicate import Adjudication
from raterbook.rounds import Round, RoundError
from tests.panels.conftest import ASKED, DISPUTES, SAID, opened, say
from tests.panels.reading import words
from tests.reporting.rounds import choice


def sitting(round_, name="uma"):
    return Adjudication(Workspace(round_.workspace.path).round("round-01"), name).decide


def decide(panel, value, why):
    panel.choice.value = value
    panel.why.value = why
    panel.buttons["decide"].click()


def decided(round_, name="uma"):
    """What stands of this adjudicator: (item, question, value, reason)."""
    frame = round_.frame(reasons=True)
    own = frame[frame["rater"].eq(name)]
    return own[["item", "question", "value", "reason"]].astype(object).to_numpy().tolist()


def test_an_adjudicator_settles_every_dispute_and_no_other_item(round_):
    panel = sitting(round_)
    for _ in DISPUTES:
        decide(panel, panel.choice.options[0][1], "As the source has it.")
    assert "Nothing is left to decide." in words(panel.head)
    assert undecided(disputes(round_)) == []
    assert sorted((item, question) for item, question, _, _ in decided(round_)) == sorted(DISPUTES)


def test_raters_answers_stay_as_they_were_given(round_):
    before = round_.frame()
    decide(sitting(round_), 5, "It is rude.")
    after = round_.frame()
    kept = after[~after["rater"].eq("uma")]
    assert kept[["rater", "item", "question", "value"]].astype(str).to_numpy().tolist() == (
        before[["rater", "item", "question", "value"]].astype(str).to_numpy().tolist()
    )


def test_a_decision_without_a_reason_or_an_answer_is_not_stored_and_says_so(round_):
    panel = sitting(round_)
    panel.buttons["decide"].click()
    assert words(panel.said) == "Nothing was stored: choose an answer first."
    decide(panel, 3, "   ")
    assert words(panel.said).startswith("Nothing was stored: write why")
    assert decided(round_) == []


def test_it_goes_on_where_it_stopped(round_):
    decide(sitting(round_), 3, "Between the two.")
    panel = sitting(round_)
    assert words(panel.head).startswith("2 questions in dispute: 1 settled, 1 open.")
    assert panel.chosen.label == "2 · Label · a tie, 3 answers · open"
    panel.buttons["earlier"].click()
    assert (panel.choice.value, panel.why.value) == (3, "Between the two.")


def test_undo_brings_back_what_stood_before_each_step(round_):
    panel = sitting(round_)
    decide(panel, 3, "First.")
    panel.buttons["earlier"].click()
    decide(panel, 4, "Second.")
    panel.buttons["undo"].click()
    assert decided(round_) == [["q2/birch", "tone", "3", "First."]]
    panel.buttons["undo"].click()
    assert decided(round_) == []
    assert panel.buttons["undo"].disabled


@pytest.fixture
def two_and_two(tmp_path):
    """Two say no, which two of these call severe and mild; two say yes."""
    then = choice("severe", "mild", when={"label": ["no"]})
    label, severity = ("no", "no", "yes", "yes"), ("severe", "mild", None, None)
    said = {"q1/m": {"label": label, "severity": severity}}
    asked = {"label": ASKED["label"], "severity": then}
    return opened(tmp_path, said, asked, ("ana", "ben", "eva", "dan"))


def test_undo_of_a_decision_brings_back_the_one_that_it_closed(two_and_two):
    panel = sitting(two_and_two)
    decide(panel, "no", "It is not said.")
    decide(panel, "mild", "Nobody was hurt.")
    before = decided(two_and_two)
    assert [question for _, question, _, _ in before] == ["label", "severity"]
    panel.buttons["earlier"].click()
    decide(panel, "yes", "It is said below.")
    assert [question for _, question, _, _ in decided(two_and_two)] == ["label"]
    panel.buttons["undo"].click()
    assert decided(two_and_two) == before


class Counted:
    """How often a round's answers are read whole, and how far everybody is."""

    def __init__(self, monkeypatch):
        self.calls = []
        for name in ("frame", "standings", "marked"):
            monkeypatch.setattr(Round, name, self.counting(name, getattr(Round, name)))

    def counting(self, name, method):
        def counted(*given, **how):
            self.calls.append(name)
            return method(*given, **how)

        return counted


def test_a_decision_counts_nothing_anew(round_, monkeypatch):
    panel, counted = sitting(round_), Counted(monkeypatch)
    decide(panel, 3, "First.")
    panel.buttons["undo"].click()
    decide(panel, 3, "Again.")
    assert counted.calls == []
    assert words(panel.head).startswith("2 questions in dispute: 1 settled, 1 open.")
    panel.refresh()  # the control
    assert set(counted.calls) == {"frame", "standings", "marked"}


def test_after_somebody_elses_answer_all_is_counted_anew(round_, monkeypatch):
    panel, counted = sitting(round_), Counted(monkeypatch)
    say(round_, "ben", "q1/cedar", "label", "yes")
    decide(panel, 3, "First.")
    assert "frame" in counted.calls
    assert "Nothing is left to decide." in words(panel.head)


@pytest.mark.parametrize("other", [False, True], ids=["alone", "while another answers"])
def test_the_next_dispute_is_drawn_once_so_that_nothing_chosen_in_it_is_taken_away(round_, other):
    panel, drawn = sitting(round_), []
    panel.choices.observe(lambda change: drawn.append(change["new"]), "children")
    if other:
        say(round_, "ben", "q2/birch", "label", "no")
    decide(panel, 3, "First.")
    assert len(drawn) == 1


def test_what_is_asked_only_after_what_was_decided_is_no_dispute_at_once(two_and_two):
    panel = sitting(two_and_two)
    assert [one.question for one in panel.found] == ["label", "severity"]
    decide(panel, "yes", "It is true.")
    held = [one.question for one in panel.found]
    panel.refresh()
    assert held == [one.question for one in panel.found] == ["label"]


@pytest.mark.parametrize("by", BY)
def test_what_is_held_after_decisions_is_what_is_counted_anew(tmp_path, by):
    round_ = opened(tmp_path, asked={**ASKED, "share": {"type": "percent"}}, said={
        item: {**answers, "share": (10, 62.5, 62.5 if item == "q1/cedar" else 90)}
        for item, answers in SAID.items()
    })  # fmt: skip
    held, refs = Disputes(round_, by=by), {item.key: item.ref for item in round_.items()}
    for one in held.found:
        value = 62.5 if one.question == "share" else one.said[-1].value
        value = int(value) if one.question == "tone" else value
        say(round_, "uma", one.item, one.question, value, reason="So it is.")
        answer = round_.current("uma")[refs[one.item], 0, one.question]
        assert held.settle(one.key, "uma", answer)
    assert held.is_behind("uma") is False
    told = [(one.key, one.disputed, one.decision and one.decision.value) for one in held.found]
    anew = disputes(round_, by=by)
    assert told == [(one.key, one.disputed, one.decision.value) for one in anew]


def test_a_long_list_is_drawn_in_windows_and_any_place_is_a_step_away(tmp_path, monkeypatch):
    monkeypatch.setattr("raterbook.panels.adjudicate.LISTED", 4)
    said = {f"q{n:02}/m": {"label": ("yes", "no")} for n in range(10)}
    panel = sitting(opened(tmp_path, said, {"label": ASKED["label"]}, ("ana", "ben")))
    assert [label.split(" ")[0] for label, _ in panel.chosen.options] == ["1", "2", "3", "4"]
    panel.place.value = 9
    assert "9 of 10. Label" in words(panel.page)
    assert [label.split(" ")[0] for label, _ in panel.chosen.options] == ["7", "8", "9", "10"]
    panel.chosen.index = 0
    assert "7 of 10. Label" in words(panel.page)


def test_a_workspace_shows_its_rounds_without_counting_what_is_in_dispute(round_, monkeypatch):
    counted = Counted(monkeypatch)
    assert "round-01" in round_.workspace._repr_html_()
    assert counted.calls == []


def test_what_is_taken_back_is_open_again_and_can_be_undone(round_):
    decide(sitting(round_), 3, "First.")
    panel = sitting(round_)
    panel.buttons["earlier"].click()
    panel.buttons["back"].click()
    assert len(undecided(disputes(round_))) == 2
    panel.buttons["undo"].click()
    assert decided(round_) == [["q2/birch", "tone", "3", "First."]]


def test_what_is_left_open_has_its_reason_and_stays_undecided(round_):
    panel = sitting(round_)
    panel.why.value = "The source is lost."
    panel.buttons["leave"].click()
    left = next(one for one in undecided(disputes(round_)) if one.left)
    assert (left.question, left.left[0].reason) == ("tone", "The source is lost.")
    assert panel.chosen.label.startswith("2 · Label")


@pytest.mark.parametrize(("value", "stored"), [("62.5", "62.5"), ("140", None), ("much", None)])
def test_a_number_without_levels_is_written_and_checked(tmp_path, value, stored):
    said = {"a/m": {"sure": (10, 50, 90)}}
    round_ = opened(tmp_path, said, {"sure": {"type": "percent"}})
    panel = sitting(round_)
    decide(panel, value, "By hand.")
    assert [row[2] for row in decided(round_)] == ([stored] if stored else [])
    assert words(panel.said).startswith(
        "Dispute 1 of 1 is decided: 62.5" if stored else "Nothing was stored: "
    )


def test_in_a_closed_round_what_was_written_stays_in_the_panel(round_):
    panel = sitting(round_)
    round_.close()
    decide(panel, 3, "Too late.")
    assert "was closed" in words(panel.said)
    assert panel.why.value == "Too late."


def test_choosing_another_way_shows_what_is_in_dispute_by_it(round_):
    panel = sitting(round_)
    panel.by.value = "any"
    assert len(panel.chosen.options) == 5
    panel.question.value = "label"
    assert len(panel.chosen.options) == 2
    panel.by.value, panel.question.value = "spread", "tone"
    panel.beyond.value = 3
    assert [line for line, _ in panel.chosen.options] == ["1 · Tone · a tie, 4 levels apart · open"]


def everything(panel):
    return " ".join([words(panel.head), words(panel.page), *(o[0] for o in panel.chosen.options)])


def test_systems_are_never_named_and_raters_only_when_asked_for(round_):
    panel = sitting(round_)
    for _ in panel.found:
        panel.buttons["later"].click()
        said = everything(panel)
        assert not any(name in said for name in ("birch", "cedar", "ana", "ben", "eva"))
    panel.names.value = True
    assert all(name in words(panel.page) for name in ("ana", "ben", "eva"))
    assert not any(name in everything(panel) for name in ("birch", "cedar"))


def test_without_names_the_order_of_like_answers_does_not_tell_who_gave_them(tmp_path):
    said = {f"q{n}/m": {"label": ("yes", "yes", "no", "no")} for n in range(12)}
    raters = ("ana", "ben", "eva", "dan")
    round_ = opened(tmp_path, said, {"label": ASKED["label"]}, raters)
    for item in said:
        say(round_, "ana", item, "label_comment", "First voice.")
        say(round_, "ben", item, "label_comment", "Second voice.")
    panel = sitting(round_)
    orders = set()
    for _ in said:
        panel.buttons["later"].click()
        shown = words(panel.page)
        orders.add(shown.index("First voice.") < shown.index("Second voice."))
    assert orders == {True, False}


def test_a_question_about_the_case_is_decided_for_the_case(tmp_path):
    said = {"q1/birch": {"need": ("yes", "no", "open")}, "q1/cedar": {}}
    asked = {"need": {**ASKED["label"], "of": "case"}}
    round_ = opened(tmp_path, said, asked)
    panel = sitting(round_)
    assert len(panel.found) == 1
    decide(panel, "open", "Nobody can say.")
    (one,) = disputes(round_)
    assert (one.item, one.case, one.decision.value) == (None, "q1", "open")


def test_who_decides_reads_the_whole_text(tmp_path):
    asked = {"label": ASKED["label"]}
    round_ = opened(tmp_path, {"a/m": {"label": ("yes", "no", "open")}}, asked, long=" word" * 3000)
    assert words(sitting(round_).page).count("word") == 3000


def test_answers_stand_side_by_side_with_comment_evidence_confidence_and_time(round_):
    say(round_, "ana", "q1/cedar", "label_comment", "Line two says so.")
    say(round_, "ben", "q1/cedar", "label", "no", confidence=80, seconds=12.5)
    note = '{"evidence": {"field": "text", "start": 0, "end": 4, "quote": "What"}}'
    assert round_.mark("eva", "q1/cedar", "note", reason=note).ok
    panel = sitting(round_)
    panel.question.value, panel.names.value = "label", True
    said = words(panel.page)
    for part in (
        "What 1 says.",
        "Line two says so.",
        "“What”",
        "80 %",
        "12 s",
        "yes",
        "no",
        "open",
    ):
        assert part in said


HOSTILE = "<img src=x onerror=alert(1)> $\\href{javascript:alert(1)}{x}$ </style><script>1</script>"


def test_hostile_texts_comments_and_reasons_are_text(tmp_path):
    said = {"a/m": {"label": ("yes", "no", "open")}}
    round_ = opened(tmp_path, said, {"label": ASKED["label"]}, ("<i>ana", "ben", "eva"))
    say(round_, "<i>ana", "a/m", "label_comment", HOSTILE)
    panel = sitting(round_)
    panel.names.value = True
    decide(panel, "yes", HOSTILE)
    for shown in (panel.page, panel.said, panel.head):
        body = re.sub(r"<style>.*?</style>", "", shown.value, count=1, flags=re.S)
        assert not re.search(r"<(img|script|i|style)\b", body)
        assert "mathjax_ignore" in body
    assert words(panel.page).count("onerror=alert(1)") == 2


def test_an_agenda_is_written_beside_the_notebook(round_, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    panel = sitting(round_)
    panel.buttons["agenda"].click()
    assert "2 questions in dispute" in (tmp_path / "round-01-agenda.html").read_text("utf-8")
    assert "round-01-agenda.html" in words(panel.said)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (None, r"No adjudicator is named: set adjudicator to your name as round-01 has it \(uma\)"),
        (
            "umma",
            r"'umma' is not an adjudicator of round-01 .* Did you mean uma\?",
        ),
        ("ana", "'ana' is human: an adjudicator has a name of their own"),
    ],
)
def test_nobody_decides_but_an_adjudicator_of_the_round(round_, name, said):
    with pytest.raises(RoundError, match=said):
        Adjudication(round_, name)


def test_who_is_excluded_decides_nothing(round_):
    round_.exclude("uma", "wrote the answers")
    with pytest.raises(RoundError, match="'uma' was excluded from round-01: wrote the answers"):
        Adjudication(round_, "uma")


# CalibrationPanel


def calibrating(round_):
    tab = Adjudication(Workspace(round_.workspace.path).round("round-01"), "uma")
    tab.selected_index = 1
    return tab.calibrate


def test_before_the_reveal_nobodys_answer_and_no_agreement_is_shown(tmp_path):
    said = {"a/m": {"label": ("yes", "no", None)}}
    panel = calibrating(opened(tmp_path, said, {"label": ASKED["label"]}))
    assert "α" not in words(panel.page)
    assert "yes" not in words(panel.page)
    assert "Not finished: eva (1 item)." in words(panel.page)
    panel.reveal.click()  # not before somebody says that all have voted
    assert "Vote 1" not in words(panel.page)


def reveal(panel):
    panel.ready.value = True
    panel.reveal.click()


def test_after_the_reveal_and_another_vote_alpha_stands_before_and_after(round_):
    panel = calibrating(round_)
    reveal(panel)
    assert "ana" in words(panel.page)
    say(round_, "ben", "q1/cedar", "label", "yes")
    say(round_, "eva", "q1/cedar", "label", "yes")
    say(round_, "eva", "q2/birch", "label", "no")
    panel.again.click()
    first, now = re.findall(r"Vote [12] .*?(?=Vote 2|Discuss)", words(panel.page))
    assert "3 of 24" in now
    assert " 1.00" in now
    assert " 1.00" not in first
    assert "Label" not in words(panel.page).split("Look again")[1]  # nothing left to discuss


def test_a_vote_goes_on_in_another_session_and_a_third_vote_follows(round_):
    reveal(calibrating(round_))
    panel = calibrating(round_)
    reveal(panel)
    assert "2 votes revealed" in words(panel.page)
    assert "Vote 3" in words(panel.page)


def test_in_a_closed_round_nothing_is_revealed_and_the_panel_says_why(round_):
    panel = calibrating(round_)
    round_.close()
    reveal(panel)
    assert "was closed" in words(panel.said)
    assert "Vote 1" not in words(panel.page)
