"""What is in dispute, by which rule, what settles it, and what a discussion changed."""

import pandas as pd
import pytest

from raterbook.analysis.intervals import Interval
from raterbook.cli import main
from raterbook.numbers.compute import questions_of
from raterbook.numbers.counted import Board, consensus
from raterbook.numbers.disputes import Disputes, disputes, undecided, votes
from raterbook.rounds import RoundError
from raterbook.rounds.consensus import ADJUDICATOR
from tests.golden import rounds
from tests.panels.conftest import ASKED, DISPUTES, opened, say
from tests.reporting.rounds import asking, choice, page_of, scale, words_of


@pytest.fixture
def round_(tmp_path):
    return opened(tmp_path)


def names(found):
    return [(one.unit, one.question) for one in found]


@pytest.mark.parametrize(
    ("by", "beyond", "there"),
    [
        ("majority", 1, [("q2/birch", "tone"), ("q1/cedar", "label")]),
        ("tie", 1, [("q2/birch", "tone"), ("q1/cedar", "label")]),
        ("spread", 1, [("q2/birch", "tone"), ("q1/cedar", "label"),
                       ("q2/cedar", "tone"), ("q2/birch", "label")]),
        ("spread", 3, [("q2/birch", "tone"), ("q1/cedar", "label"), ("q2/birch", "label")]),
        ("any", 1, [("q2/birch", "tone"), ("q1/cedar", "label"), ("q2/cedar", "tone"),
                    ("q2/birch", "label"), ("q1/cedar", "tone")]),
    ],
)  # fmt: skip
def test_each_way_to_be_in_dispute_lists_ties_first_and_then_the_widest(round_, by, beyond, there):
    found = names(disputes(round_, by=by, beyond=beyond))
    assert found[:2] == there[:2]
    assert sorted(found) == sorted(there)


def test_a_tie_of_two_in_four_is_no_majority_and_two_of_four_against_others_is_no_tie(tmp_path):
    said = {
        "a/m": {"label": ("yes", "yes", "no", "no")},
        "b/m": {"label": ("yes", "yes", "no", "open")},
    }
    round_ = opened(tmp_path, said, {"label": ASKED["label"]}, ("ana", "ben", "eva", "dan"))
    assert names(disputes(round_, by="tie")) == [("a/m", "label")]
    assert names(disputes(round_)) == [("a/m", "label"), ("b/m", "label")]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            {"by": "feeling"},
            "'feeling' is no way to be in dispute: choose majority, tie",
        ),
        ({"questions": ["mood"]}, "'mood' cannot be in dispute: choose label, tone, sure"),
        ({"questions": ["label_comment"]}, "'label_comment' cannot be in dispute: choose label"),
    ],
)
def test_what_cannot_be_in_dispute_is_refused_with_what_can(round_, how, said):
    with pytest.raises(RoundError, match=said):
        disputes(round_, **how)


def test_half_a_per_cent_is_a_number_among_percents(tmp_path):
    said = {"a/m": {"share": ("0.5%", "0.5%", 20)}, "b/m": {"share": ("0.5%", 3, 20)}}
    round_ = opened(tmp_path, said, {"share": {"type": "percent"}})
    found = disputes(round_)
    assert [(one.unit, one.spread, one.width, one.tied) for one in found] == [
        ("b/m", 19.5, 0.195, True)
    ]


def test_how_far_answers_lie_apart_is_of_the_whole_scale_or_of_the_commonest(tmp_path):
    """Points of a scale and steps of ordered labels by its length, other labels by their share."""
    asked = {
        "tone": scale(5),
        "grade": choice("low", "middle", "high", level="ordinal"),
        "two": choice("less", "more", level="ordinal"),
        "label": choice("yes", "no", "open"),
    }
    said = {
        "a/m": {
            "tone": (1, 3, 2),
            "grade": ("low", "high", "low"),
            "two": ("less", "more", "less"),
            "label": ("yes", "no", "open"),
        },
        "b/m": {
            "tone": (4, 4, 5),
            "grade": ("middle", "high", "high"),
            "label": ("no",) * 2 + ("yes",),
        },
    }
    found = disputes(opened(tmp_path, said, asked), by="any")
    apart = {(one.unit, one.question): (one.spread, one.width, one.tied) for one in found}
    third = pytest.approx(1 / 3)
    assert apart == {
        ("a/m", "tone"): (2, 0.5, True),
        ("a/m", "grade"): (2, 1.0, False),
        ("a/m", "two"): (1, 1.0, False),
        ("a/m", "label"): (2, pytest.approx(2 / 3), True),
        ("b/m", "tone"): (1, 0.25, False),
        ("b/m", "grade"): (1, 0.5, False),
        ("b/m", "label"): (1, third, False),
    }


@pytest.mark.parametrize("name", rounds.NAMES)
def test_undecided_is_just_what_has_no_consensus_in_the_numbers(tmp_path, name):
    round_ = rounds.built(name, tmp_path)
    frame = round_.frame()
    board = Board(frame, questions_of(round_.protocol))
    found = set(names(undecided(disputes(round_))))
    for question in round_.protocol.questions:
        if not question.values or question.covers or question.when or question.is_text:
            continue
        grid = board.grid(question.id)
        columns, _ = board.counted([question.id])
        theirs = grid.codes[:, columns]
        final = grid.codes[:, board.columns_of(ADJUDICATOR)]
        none = (consensus(board, grid, columns) == 0) & (theirs.max(axis=1, initial=0) > 0)
        # Where adjudicators differ nothing is settled, whatever the others said.
        none |= [len(set(row[row > 0])) > 1 for row in final]
        units = {
            (str(where["item"] if board.of_item[n] else where["case"])
             + (f", part {board.part[n]}" if board.part[n] else ""), question.id)
            for n, (_, where) in enumerate(board.first.iterrows()) if none[n]
        }  # fmt: skip
        assert {one for one in found if one[1] == question.id} == units


def test_a_decision_settles_and_a_second_adjudicator_who_differs_opens_it_again(round_):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The source is silent.")
    (one,) = [one for one in disputes(round_) if one.decision]
    assert (one.decision.rater, one.decision.value, one.decision.reason) == (
        "uma", "open", "The source is silent."
    )  # fmt: skip
    assert names(undecided(disputes(round_))) == [("q2/birch", "tone")]
    round_.add_rater("vic", kind="adjudicator")
    say(round_, "vic", "q1/cedar", "label", "no", reason="It is not silent.")
    assert sorted(names(undecided(disputes(round_)))) == sorted(DISPUTES)


def test_a_decision_that_is_held_takes_the_place_of_the_one_before(round_):
    held, refs = Disputes(round_), {item.key: item.ref for item in round_.items()}
    for value in ("yes", "no"):
        say(round_, "uma", "q1/cedar", "label", value, reason=f"{value} it is.")
        answer = round_.current("uma")[refs["q1/cedar"], 0, "label"]
        assert held.settle(("label", "q1/cedar", 0), "uma", answer)
        assert names(held.found) == names(disputes(round_))
    one = next(one for one in held.found if one.key == ("label", "q1/cedar", 0))
    assert [(each.value, each.reason) for each in one.final] == [("no", "no it is.")]
    assert held.settle(one.key, "uma", None)
    assert next(each for each in held.found if each.key == one.key).final == ()


def test_what_is_held_is_behind_once_anybody_else_answered(round_):
    held = Disputes(round_)
    say(round_, "uma", "q1/cedar", "label", "yes", reason="So it is.")
    assert not held.is_behind("uma")
    assert held.is_behind("ana")
    say(round_, "ana", "q1/cedar", "tone", 3)
    assert held.is_behind("uma")


def test_what_an_adjudicator_decided_where_all_agree_is_a_decision_and_no_dispute(round_):
    say(round_, "uma", "q1/birch", "label", "no", reason="All overlooked a word.")
    (one,) = [one for one in disputes(round_) if one.unit == "q1/birch"]
    assert (one.disputed, one.decision.value) == (False, "no")
    assert sorted(names(undecided(disputes(round_)))) == sorted(DISPUTES)


def test_a_model_and_an_excluded_rater_put_nothing_in_dispute(round_):
    round_.add_rater("gauge", kind="model")
    say(round_, "gauge", "q1/birch", "label", "no")
    say(round_, "gauge", "q2/cedar", "label", "yes")
    assert sorted(names(disputes(round_))) == sorted(DISPUTES)
    round_.exclude("eva", "rated another round")
    assert ("q2/birch", "tone") in names(disputes(round_, by="any"))
    assert ("q2/birch", "label") not in names(disputes(round_, by="any"))


def test_what_is_asked_only_after_an_answer_that_does_not_stand_is_in_no_dispute(tmp_path):
    then = choice("severe", "mild", when={"label": ["no"]})
    asked = {"label": ASKED["label"], "severity": then}
    said = {
        "a/m": {"label": ("yes", "yes", "no", "no"), "severity": (None, None, "severe", "mild")},
        "b/m": {"label": ("yes", "yes", "yes", "no"), "severity": (None, None, None, "mild")},
    }
    round_ = opened(tmp_path, said, asked, ("ana", "ben", "eva", "dan"))
    assert names(disputes(round_)) == [("a/m", "label"), ("a/m", "severity")]
    say(round_, "uma", "a/m", "label", "yes", reason="It is there.")
    assert names(undecided(disputes(round_))) == []


def test_comments_evidence_confidence_and_time_stand_with_the_answer(round_):
    say(round_, "ana", "q1/cedar", "label_comment", "Line two says so.")
    say(round_, "ben", "q1/cedar", "label", "no", confidence=80, seconds=12.5)
    note = '{"evidence": {"field": "text", "start": 0, "end": 4, "quote": "What"}}'
    assert round_.mark("eva", "q1/cedar", "note", reason=note).ok
    one = next(one for one in disputes(round_) if one.question == "label")
    ana, ben, eva = one.said
    assert (ana.comments, ben.confidence, ben.seconds) == (("Line two says so.",), 80, 12.5)
    assert (eva.evidence, ana.evidence) == (("What",), ())


def test_a_comment_stands_beside_its_own_question_and_its_own_part(tmp_path):
    asked = {
        "label": {**ASKED["label"], "per": "part"},
        "tone": {**ASKED["tone"], "comment": {"prompt": "Why?"}},
        "notes": {"type": "text", "required": False},
    }
    parts = {"label": "Sentence", "from": "text", "split": "sentences"}
    round_ = opened(tmp_path, {"a/m": {"tone": (1, 3, 5)}}, asked, parts=parts)
    for part in (1, 2):
        for rater, value in (("ana", "yes"), ("ben", "no"), ("eva", "open")):
            say(round_, rater, "a/m", "label", value, part=part)
        say(round_, "ana", "a/m", "label_comment", f"Of sentence {part}.", part=part)
    say(round_, "ana", "a/m", "tone_comment", "Of the tone.")
    say(round_, "ana", "a/m", "notes", "Of all.")
    found = {(one.question, one.part): one.said[0].comments for one in disputes(round_)}
    assert found == {
        ("tone", 0): ("Of the tone.", "Of all."),
        ("label", 1): ("Of sentence 1.", "Of all."),
        ("label", 2): ("Of sentence 2.", "Of all."),
    }


# Votes

SCORES = {"a/m": (1, 2, 1), "b/m": (5, 4, 5)}


def test_alpha_before_and_after_a_reveal_is_that_of_what_was_said_by_then(round_):
    before = round_.ratings("label")
    assert votes(round_) == []
    round_.reveal("uma")
    for rater, item in (("ben", "q1/cedar"), ("eva", "q1/cedar"), ("eva", "q2/birch")):
        say(round_, rater, item, "label", {"q1/cedar": "yes", "q2/birch": "no"}[item])
    first, now = votes(round_)
    from raterbook.analysis import Ratings, alpha

    scale = ["yes", "no", "open"]
    expected = alpha(Ratings(before, scale=scale, cluster="cluster"), "nominal").value
    assert first.alphas["label"].value == pytest.approx(expected, abs=1e-12)
    assert now.alphas["label"].value == 1
    assert (first.by, first.at is not None, now.at, now.changed) == ("uma", True, None, 3)


def test_the_alpha_of_a_vote_is_the_one_that_the_page_leads_with_at_each_level(tmp_path):
    levels = {"tone": "ordinal", "pace": "interval", "length": "ratio"}
    asked = {name: scale(5, level=level) for name, level in levels.items()}
    said = {item: dict.fromkeys(asked, values) for item, values in SCORES.items()}
    round_ = opened(tmp_path, said, asked)
    round_.reveal("uma")
    alphas = votes(round_)[-1].alphas
    assert {name: each.statistic for name, each in alphas.items()} == {
        "tone": "alpha_ordinal",
        "pace": "alpha_interval",
        "length": "alpha_interval",
    }


def test_an_answer_first_given_after_the_reveal_was_not_blind_and_is_in_no_vote(tmp_path):
    said = {"a/m": {"label": ("yes", "no", None)}, "b/m": {"label": ("no", "no", "no")}}
    round_ = opened(tmp_path, said, {"label": ASKED["label"]})
    round_.reveal("uma")
    say(round_, "eva", "a/m", "label", "no")
    first, now = votes(round_)
    assert (first.n, now.n, now.changed) == (5, 5, 0)


def test_an_answer_taken_back_after_the_reveal_is_in_no_vote(round_):
    round_.reveal("uma")
    say(round_, "eva", "q1/cedar", "label", None, status="retracted")
    first, now = votes(round_)
    assert (first.n, now.n, now.changed) == (23, 23, 0)


@pytest.fixture
def calibrated(tmp_path):
    """Thirty cases; ana and ben differ on ten, and ben comes round on one when all is revealed."""
    tones = [(1 + n % 5, 1 + (n + (n % 3 == 0)) % 5, 1 + n % 5) for n in range(30)]
    said = {f"q{n}/m": {"tone": tone, "label": ("no",) * 3} for n, tone in enumerate(tones)}
    round_ = opened(tmp_path, said)
    round_.reveal("uma")
    say(round_, "ben", "q0/m", "tone", 1)
    return round_


def test_the_page_has_alpha_of_each_vote_with_its_interval_and_whose_votes_they_are(calibrated):
    page = words_of(page_of(calibrated))
    said = page[page.index("Calibration 1 vote was revealed.") :]
    assert "180 answers that every vote has, of ana, ben and eva; 1 of them was changed" in said
    for at, vote in enumerate(votes(calibrated), start=1):
        tone = vote.alphas["tone"]
        shown = f"{tone.value:.2f} ({tone.low:.2f} to {tone.high:.2f})"
        assert shown in said[said.index(f"Vote {at}") :][:200]


def test_a_page_without_a_reveal_has_no_votes(round_):
    assert "Calibration" not in page_of(round_)


def test_the_pages_votes_are_of_the_raters_and_the_coverage_that_it_is_built_for(calibrated):
    built = {"raters": ("ana", "ben"), "questions": ("tone",), "coverage": 0.8}
    page = words_of(page_of(calibrated, **built))
    said = page[page.index("Calibration 1 vote") :]
    assert "60 answers that every vote has, of ana and ben; 1 of them was changed" in said
    assert "α, Label" not in said
    wish = Interval(coverage=0.8)
    tone = votes(calibrated, raters=("ana", "ben"), interval=wish)[0].alphas["tone"]
    assert f"({tone.low:.2f} to {tone.high:.2f})" in said


def test_with_pseudonyms_the_votes_name_nobody(round_):
    round_.reveal("uma")
    page = words_of(page_of(round_, pseudonyms=True))
    said = page[page.index("Calibration 1 vote") :][:400]
    assert not {"ana", "ben", "eva", "uma"} & set(said.replace(",", " ").split())


def test_a_closed_round_reveals_nothing(round_):
    round_.close()
    with pytest.raises(RoundError, match="nothing was revealed"):
        round_.reveal("uma")
    assert votes(round_) == []


# The command, status, page and files


def run(folder, *words):
    return main(["--workspace", str(folder), *words])


def test_the_command_numbers_what_is_undecided_and_names_who_decided_what_and_why(
    round_, tmp_path, capsys
):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The source is silent.")
    assert run(tmp_path, "disputes", "round-01") == 0
    assert capsys.readouterr().out.splitlines() == [
        "round-01: 1 undecided, where no answer has more than half of those who answered.",
        "  1. q2/birch, Tone (a tie, 4 levels apart): ana 1, ben 3 and eva 5",
        "     q1/cedar, Label: uma decided open: The source is silent.",
    ]


@pytest.mark.parametrize("ending", ["html", "md"])
def test_an_agenda_has_what_is_open_without_systems_or_names(round_, tmp_path, capsys, ending):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The source is silent.")
    file = tmp_path / f"agenda.{ending}"
    assert run(tmp_path, "disputes", "round-01", "--agenda", str(file)) == 0
    text = file.read_text("utf-8")
    assert "Tone: a tie, 4 levels apart" in text
    assert "What 2 says." in text
    assert not any(name in text for name in ("birch", "cedar", "ana", "ben", "eva", "Label"))
    run(tmp_path, "disputes", "round-01", "--agenda", str(file), "--names")
    assert "eva" in file.read_text("utf-8")


def test_an_agenda_that_is_no_page_is_refused_and_not_begun(round_, tmp_path, capsys):
    file = tmp_path / "agenda.docx"
    assert run(tmp_path, "disputes", "round-01", "--agenda", str(file)) == 2
    assert "an agenda is a page or Markdown. Use .html or .md." in capsys.readouterr().err
    assert not file.exists()


def test_status_names_what_is_undecided_and_what_was_decided_by_whom_and_why(round_):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The source is silent.")
    lines = str(round_.status()).splitlines()[-2:]
    assert [line.strip() for line in lines] == [
        "undecided, q2/birch, tone: ana 1, ben 3, eva 5",
        "decided by uma, q1/cedar, label: open: The source is silent.",
    ]


def test_a_reason_cannot_forge_a_line_or_move_the_cursor(round_, tmp_path, capsys):
    forged = "So.\nround-01: 0 undecided\x1b[2J"
    say(round_, "uma", "q1/cedar", "label", "open", reason=forged)
    run(tmp_path, "disputes", "round-01")
    for said in (capsys.readouterr().out, str(round_.status())):
        assert "\x1b" not in said
        assert "So.\\nround-01: 0 undecided\\x1b[2J" in said


def test_status_says_nothing_of_decisions_where_nobody_is_to_make_them(tmp_path):
    from raterbook import Workspace

    text = asking({"label": ASKED["label"]})
    items = pd.DataFrame([{"id": "a", "text": "x"}])
    from raterbook.protocols import parse

    round_ = Workspace(tmp_path).open("plain", parse(text, source="x"), items, raters=["ana"])
    assert "undecided" not in round_.status()


def test_the_page_names_what_is_undecided_and_what_was_decided_by_whom_and_why(round_):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The <b>source</b> is silent.")
    page = page_of(round_)
    assert "The &lt;b&gt;source&lt;/b&gt; is silent." in page
    words = words_of(page)
    assert "2 questions were in dispute" in words
    assert "q2/birch, Tone: ana 1, ben 3 and eva 5" in words
    assert "q1/cedar Label open uma The <b>source</b> is silent. ana yes, ben no and" in words


def test_a_page_with_pseudonyms_names_no_adjudicator(round_):
    say(round_, "uma", "q1/cedar", "label", "open", reason="It is silent.")
    section = round_.read(pseudonyms=True).decisions()
    assert "uma" not in str(section.html)
    assert "It is silent." in str(section.html)


def test_a_table_has_a_row_for_each_with_who_decided_what_and_why(round_, tmp_path):
    say(round_, "uma", "q1/cedar", "label", "open", reason="=The source; is silent.")
    say(round_, "uma", "q2/birch", "tone", None, status="skipped", reason="It is lost.")
    file = tmp_path / "disputes.csv"
    assert run(tmp_path, "disputes", "round-01", "--table", str(file)) == 0
    assert file.read_text("utf-8").splitlines() == [
        "item,part,question,state,value,by,reason,answers",
        "q2/birch,,tone,undecided,,uma,It is lost.,ana: 1; ben: 3; eva: 5",
        "q1/cedar,,label,decided,open,uma,'=The source; is silent.,ana: yes; ben: no; eva: open",
    ]


def test_a_table_in_no_format_is_refused_and_not_begun(round_, tmp_path, capsys):
    assert run(tmp_path, "disputes", "round-01", "--table", str(tmp_path / "d.pdf")) == 2
    assert "a table of disputes is" in capsys.readouterr().err
    assert not (tmp_path / "d.pdf").exists()


def test_a_decision_and_its_reason_go_out_with_the_answers_and_come_back(round_, tmp_path):
    say(round_, "uma", "q1/cedar", "label", "open", reason="The source is silent.")
    round_.export(tmp_path / "out.csv")
    rows = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    final = rows[rows["rater_kind"].eq("adjudicator")]
    assert final[["item", "value", "reason"]].to_numpy().tolist() == [
        ["q1/cedar", "open", "The source is silent."]
    ]
    other = opened(tmp_path / "other")
    final.to_csv(tmp_path / "final.csv", index=False)
    other.add(tmp_path / "final.csv", kind="adjudicator")
    assert [one.decision.reason for one in disputes(other) if one.decision] == [
        "The source is silent."
    ]
