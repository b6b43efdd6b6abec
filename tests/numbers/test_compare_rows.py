"""What comparing a model finds is a row of numbers.json and of the gate, where it is asked for."""

import json
import random

import pytest
from jsonschema import validate

from raterbook.cli import main
from raterbook.numbers.compare import compare, rank
from raterbook.numbers.compute import numbers
from raterbook.rounds import Event
from tests.numbers.test_compare import drawn
from tests.reporting.rounds import asking, choice, opened, scale
from tests.reporting.test_pages import SCHEMA

PEOPLE = ("ana", "ben", "cai")


def models(folder, off=(0.1, 0.8), items=90, **item):
    """Three people and as many models as errors are given, on one scale."""
    rng, answers = random.Random(3), []
    rows = [{"id": f"i{at:03d}", "text": "word " * (1 + at % 9), "topic": "ab"[at % 2]}
            for at in range(items)]  # fmt: skip
    for row in rows:
        true = rng.randint(2, 4)
        errors = dict.fromkeys(PEOPLE, 0.3) | {f"m{at}": share for at, share in enumerate(off)}
        for who, share in errors.items():
            value = true + (rng.choice((-1, 1)) if rng.random() < share else 0)
            answers.append((who, row["id"], "tone", value))
    kinds = {f"m{at}": "model" for at in range(len(off))}
    text = asking({"tone": scale(5)}, groups=["topic"], **item)
    return opened(folder, items=rows, answers=answers, kinds=kinds, text=text)


def test_without_being_asked_nothing_is_added_and_no_parameter_is_said(tmp_path):
    stored = models(tmp_path)
    plain = json.loads(numbers(stored).to_json())
    assert "judge" not in plain["parameters"]
    assert not [row for row in plain["numbers"] if row["statistic"] == "winning_rate"]


def test_asked_for_the_rows_of_before_stay_and_those_of_the_model_are_added(tmp_path):
    stored = models(tmp_path)
    before, after = numbers(stored), numbers(stored, judge="m0")
    assert [row for row in after.rows if row in before.rows] == before.rows
    document = json.loads(after.to_json())
    validate(document, SCHEMA)
    assert document["parameters"]["judge"] == ["m0"]


def test_each_row_is_the_number_of_the_comparison(tmp_path):
    stored = models(tmp_path)
    found, rows = compare(stored, "m0").part("tone"), numbers(stored, judge="m0")
    row = rows.get("winning_rate", "tone", rater="m0")
    assert row["estimate"] == found.test.winning_rate
    row = rows.get("advantage", "tone", rater="m0")
    assert (row["estimate"], row["low_like"]) == (
        found.test.advantage.value, found.test.advantage.low_like,
    )  # fmt: skip
    for line in (*found.beside, *found.habits):
        row = rows.get(line.statistic, "tone", rater="m0", whose="difference")
        assert (row["estimate"], row["low"]) == (line.difference.value, line.difference.low)


def test_no_two_rows_have_one_address(tmp_path):
    from raterbook.numbers.number import address

    rows = numbers(models(tmp_path), judge="all", columns="length=text").rows
    every = [address(row) for row in rows]
    assert len(set(every)) == len(every)


def test_all_are_the_models_that_answered_and_pairs_of_them_are_rows_too(tmp_path):
    stored = models(tmp_path)
    stored.add_rater("silent", kind="model")
    rows = numbers(stored, judge="all")
    row = rows.get("advantage", "tone", rater="m0", than="m1")
    [pair] = rank(stored).parts[0].pairs
    assert row["estimate"] == pair.difference.value
    assert row["p_corrected"] == pair.p_corrected
    assert row["correction"] == "benjamini-yekutieli"
    validate(json.loads(rows.to_json()), SCHEMA)


def test_a_model_that_answered_nothing_beside_people_is_refused_by_name(tmp_path):
    stored = models(tmp_path)
    stored.add_rater("silent", kind="model")
    with pytest.raises(ValueError, match="silent and people answered no item both"):
        numbers(stored, judge="silent")


def run(stored, *words):
    return main(["--db", str(stored.store.path), *words])


@pytest.mark.parametrize(
    ("required", "status"),
    [
        ("winning_rate:tone[rater=m0]>=.5", 0),
        ("winning_rate:tone[rater=m1]>=.5", 1),
        ("advantage:tone[rater=m0]>=70%", 0),
        ("exact:tone[rater=m0, whose=in place]>=.9", 1),
        ("spread:tone[rater=m0, whose=difference]<=.2", 0),
        ("mae:tone[rater=m0, others=agreed, whose=in place]<=.6", 0),
    ],
)
def test_the_gate_hangs_on_them_and_asks_for_the_models_by_itself(tmp_path, required, status):
    assert run(models(tmp_path), "check", "by-hand", "--require", required) == status


def test_a_winning_rate_is_decided_by_persons_shown_one_way_or_the_other(tmp_path):
    stored = models(tmp_path)
    gate = "winning_rate:tone[rater=m0]>=.5"
    assert run(stored, "check", "by-hand", "--require", gate, "--decided") == 0
    for model in ("m0", "m1"):
        test = compare(stored, model).part("tone").test
        row = numbers(stored, judge=model).get("winning_rate", "tone", rater=model)
        worse = sum(each.worse for each in test.persons) / len(test.persons)
        assert (row["low"], row["high"]) == (test.winning_rate, 1 - worse)


def test_a_verdict_that_cannot_be_told_shuts_the_gate(tmp_path, capsys):
    stored = models(tmp_path, items=20)
    assert run(stored, "check", "by-hand", "--require", "winning_rate:tone[rater=m0]>=.1") == 1
    assert "no person rated enough items" in capsys.readouterr().out.lower()


def test_a_corrected_mean_shuts_or_opens_the_gate(tmp_path):
    rows = [{"id": f"i{at:03d}", "text": "…", "sort": "ab"[at % 3 == 0]} for at in range(90)]
    stored, true = drawn(tmp_path, rows, double=40)
    mean = sum(true.values()) / len(true)
    wanted = f"corrected_mean:tone[rater=gauge]>={mean - 0.3:.2f}"
    assert run(stored, "check", "by-hand", "--require", wanted, "--decided") == 0
    alone = f"corrected_mean:tone[rater=gauge, whose=model alone]<={mean + 0.3:.2f}"
    assert run(stored, "check", "by-hand", "--require", alone) == 1


# What it needs of the items.


def test_a_longer_text_of_the_named_column_is_what_points_by_length_are_of(tmp_path):
    stored = models(tmp_path)
    found = compare(stored, "m0", columns=["length=text"]).part("tone")
    assert [line.statistic for line in found.habits] == ["spread", "range_slope", "length_slope"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("length", "parameter columns: 'length' is none of inclusion=COLUMN, length=COLUMN"),
        ("width=text", "parameter columns: 'width=text' is none of"),
        ("family=text", "parameter columns: 'family=text' is none of"),
        ("length=size", "parameter columns: by-hand has no 'size'. Choose from id, "),
    ],
)
def test_a_column_that_is_not_there_is_refused_with_the_remedy(tmp_path, columns, said):
    with pytest.raises(ValueError, match=said):
        compare(models(tmp_path, items=12), "m0", columns=columns)


def test_own_family_is_the_column_and_the_value_that_is_the_models_own(tmp_path):
    rng, answers = random.Random(3), []
    rows = [{"id": f"i{at:03d}", "text": "…", "model": ("ours", "theirs")[at % 2]}
            for at in range(80)]  # fmt: skip
    for row in rows:
        true = rng.randint(2, 3)
        for who in (*PEOPLE, "gauge"):
            more = 2 if who == "gauge" and row["model"] == "ours" else 0
            off = rng.choice((-1, 0, 0, 1)) if who != "gauge" else 0
            answers.append((who, row["id"], "tone", true + more + off))
    text = asking({"tone": scale(5)}, system="model")
    stored = opened(tmp_path, items=rows, answers=answers, kinds={"gauge": "model"}, text=text)
    found = compare(stored, "gauge", columns=["family=model=ours"]).part("tone")
    own = next(line for line in found.habits if line.statistic == "own_family")
    assert own.difference.low < 2 < own.difference.high


CHOICE = {"better": choice("A", "B", "tie")}


def turned(folder, sticks=True):
    """Forty pairs in both orders; people choose by the answer, the model by the place."""
    rows, answers = [], []
    for at in range(40):
        for order in ("first", "second"):
            key = f"p{at:02d}-{order}"
            rows.append({"id": key, "text": "…", "place": f"p{at:02d}", "topic": order})
            better = ("A", "B")[(at + (order == "second")) % 2]
            answers += [(who, key, "better", better) for who in PEOPLE]
            answers.append(("gauge", key, "better", "A" if sticks else better))
    text = asking(CHOICE, groups=["topic"], case="place", cluster="place")
    return opened(folder, items=rows, answers=answers, kinds={"gauge": "model"}, text=text)


def flips(stored):
    part = compare(stored, "gauge", columns=["order=topic"]).part("better")
    return next(line for line in part.habits if line.statistic == "flips")


def test_a_model_that_chooses_by_the_place_turns_with_the_order_and_people_do_not(tmp_path):
    found = flips(turned(tmp_path))
    assert (found.model.value, found.persons.value) == (1.0, 0.0)
    assert found.model.n_units == 40


def test_a_model_that_chooses_by_the_answer_does_not_turn(tmp_path):
    assert flips(turned(tmp_path, sticks=False)).model.value == 0


def test_an_answer_that_is_given_again_otherwise_is_not_stable(tmp_path):
    stored = models(tmp_path, items=40)
    first = {row.item: row.number for row in stored.frame().itertuples() if row.rater == "m0"}
    for at, (item, value) in enumerate(sorted(first.items())):
        again = value if at % 4 else 6 - value if value != 3 else 1
        event = Event(f"again{at}", item, "tone", int(again), replicate=2)
        assert stored.save("m0", [event])[0].ok
    part = compare(stored, "m0").part("tone")
    found = next(line for line in part.habits if line.statistic == "stability")
    assert found.model.value == 0.75
    assert found.persons.reason == "zero_denominator"


def test_stated_confidence_is_compared_with_how_often_people_say_the_same(tmp_path):
    asked = {"tone": scale(5)}
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(60)]
    stored = opened(tmp_path, items=rows, text=asking(asked))
    for who, kind in (("ana", "human"), ("ben", "human"), ("gauge", "model")):
        stored.add_rater(who, kind=kind)
        events = [
            Event(f"{who}{at}", row["id"], "tone", 3 if who != "gauge" or at % 2 else 4,
                  confidence=90 if who == "gauge" else None)
            for at, row in enumerate(rows)
        ]  # fmt: skip
        assert all(ack.ok for ack in stored.save(who, events))
    found = compare(stored, "gauge").part("tone").calibration
    over = next(line for line in found.stated if line.statistic == "overconfidence")
    assert over.model.value == pytest.approx(0.4)
    rows = numbers(stored, judge="gauge")
    row = rows.get("brier", "tone", rater="gauge", whose="in place")
    assert row["estimate"] == pytest.approx((0.1**2 + 0.9**2) / 2)


# Several models.


def test_the_nearest_comes_first_and_the_sentence_says_what_is_shown(tmp_path):
    found = rank(models(tmp_path, off=(0.8, 0.1, 0.15), items=200))
    assert [each.model for each in found.overall.places] == ["m1", "m2", "m0"]
    share = found.overall.places[0].test.advantage.value
    assert found.sentence.startswith(
        "Of 3 models, m1 comes nearest to people: at least as near to the others as a person on "
        f"{100 * share:.0f} %"
    )
    assert f"{share:.2f}" != f"{found.overall.places[1].test.advantage.value:.2f}"
    assert "That it is nearer than m2 is not shown." in found.sentence
    assert found.sentence.endswith("Corrected for all 3, m1 and m2 may replace these people.")


def test_the_command_ranks_those_named_and_all(tmp_path, capsys):
    stored = models(tmp_path)
    assert run(stored, "compare", "by-hand", "--model", "m0", "--model", "m1") == 0
    said = capsys.readouterr().out
    assert "2 models beside people in by-hand, ε 0.15" in said
    assert run(stored, "compare", "by-hand", "--model", "all", "--json") == 0
    written = json.loads(capsys.readouterr().out)
    assert written["sentence"] == rank(stored).sentence
    assert [each["model"] for each in written["comparisons"]] == ["m0", "m1"]


def test_one_model_is_no_ranking(tmp_path):
    with pytest.raises(ValueError, match=r"a ranking needs two models .* \(m0\)"):
        rank(models(tmp_path, off=(0.1,)))


def test_names_in_a_ranking_are_text(tmp_path):
    rng = random.Random(1)
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(40)]
    answers = [(who, row["id"], "tone", rng.randint(1, 5))
               for row in rows for who in ("ana", "ben", "<b>m", "<i>n")]  # fmt: skip
    kinds = {"<b>m": "model", "<i>n": "model"}
    stored = opened(tmp_path, items=rows, answers=answers, kinds=kinds,
                    text=asking({"tone": scale(5)}))  # fmt: skip
    assert "<b>m" not in rank(stored)._repr_html_()


def test_an_epsilon_of_ones_own_is_said_and_an_usual_one_without_a_model_is_not(tmp_path):
    from raterbook.numbers.parameters import Parameters

    assert "epsilon" not in Parameters("r").to_dict()
    assert Parameters("r", epsilon=0.2).to_dict()["epsilon"] == 0.2
    assert Parameters("r", judge="gauge").to_dict()["epsilon"] == 0.15


def test_an_epsilon_that_was_chosen_is_that_of_the_rows(tmp_path):
    rows = numbers(models(tmp_path), judge="m0", epsilon=0.2)
    assert rows.get("winning_rate", "tone", rater="m0")["method"].endswith("ε 0.2")


@pytest.mark.parametrize(("who", "share"), [("experts", 0.2), ("skilled", 0.15), ("crowd", 0.1)])
def test_epsilon_may_be_said_by_who_the_people_are(tmp_path, who, share):
    assert compare(models(tmp_path), "m0", epsilon=who).epsilon == share


def two_questions(folder):
    """Three people and the model m0 answered two questions of forty items."""
    rng = random.Random(5)
    answers = [
        (who, f"i{at:03d}", name, min(5, max(1, 1 + at % 5 + rng.choice((-1, 0, 0, 1)))))
        for at in range(40)
        for name in ("tone", "style")
        for who in (*PEOPLE, "m0")
    ]
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(40)]
    text = asking({"tone": scale(5), "style": scale(5)})
    return opened(folder, items=rows, answers=answers, kinds={"m0": "model"}, text=text)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("tone=experts,overall=.1", "0.1 (all questions), 0.2 (tone), 0.15 (style)"),
        # Of all together nothing is said, so they have the least of the questions'.
        ("tone=.2,style=.05", "0.05 (all questions), 0.2 (tone), 0.05 (style)"),
        ({"tone": 0.2, "style": 0.2}, "0.2"),
    ],
)
def test_epsilon_may_differ_by_question_and_is_said_with_each(tmp_path, said, found):
    assert compare(two_questions(tmp_path), "m0", epsilon=said).epsilons == found


def test_what_is_said_of_a_model_that_always_differs_is_said_of_it_and_by_system(tmp_path):
    """People are of one mind, so a person in the model's place would always be right."""
    rows = [{"id": f"i{at}", "text": "…", "model": "ab"[at % 2]} for at in range(60)]
    answers = [
        (who, row["id"], "tone", 1 + (at + (who == "m0")) % 5)
        for at, row in enumerate(rows)
        for who in (*PEOPLE, "m0")
    ]
    text = asking({"tone": scale(5)}, system="model")
    stored = opened(tmp_path, items=rows, answers=answers, kinds={"m0": "model"}, text=text)
    found = compare(stored, "m0").part("tone")
    assert dict(found.split)["agreed"].winning_rate == 0
    assert [(each.statistic, each.model.value > 0) for each in found.unsure] == [("distance", True)]
    assert [(each.column, each.value) for each in found.apart] == [("model", "a"), ("model", "b")]


def test_people_s_agreement_with_and_without_the_model_is_of_the_items_two_people_rated(tmp_path):
    rows = [{"id": f"i{at}", "text": "…"} for at in range(12)]
    answers = [
        (who, f"i{at}", "tone", 1 + (at + more) % 5)
        for who, many, more in (("ana", 12, 0), ("ben", 8, 1), ("m0", 12, 0))
        for at in range(many)
    ]
    text = asking({"tone": scale(5)})
    stored = opened(tmp_path, items=rows, answers=answers, kinds={"m0": "model"}, text=text)
    found = compare(stored, "m0").part("tone").alphas
    assert [(each.n_units, each.n_ratings) for each in found] == [(8, 16), (8, 24)]


def test_two_questions_are_enough_to_tell_how_alike_a_rater_s_scores_are(tmp_path):
    stored = two_questions(tmp_path)
    [found] = compare(stored, "m0").overall.habits
    assert (found.statistic, found.persons.n_raters) == ("halo_effect", 3)


def test_an_epsilon_by_question_stands_in_what_is_printed_and_in_numbers_json(tmp_path, capsys):
    stored = two_questions(tmp_path)
    words = ["--db", str(stored.store.path), "compare", "by-hand", "--model", "m0"]
    assert main([*words, "--epsilon", "tone=.2,overall=.1"]) == 0
    assert "ε 0.1 (all questions), 0.2 (tone), 0.15 (style)" in capsys.readouterr().out
    document = json.loads(numbers(stored, judge="m0", epsilon="tone=.2,overall=.1").to_json())
    validate(document, SCHEMA)
    assert document["parameters"]["epsilon"] == {"tone": 0.2, "overall": 0.1}


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("many", "one of experts (0.2), skilled (0.15), crowd (0.1)"),
        ("tone=.2,tone=.1", "give each question once, not 'tone' again"),
        ("tone=.2,style=.1,style=.2,tone=.1", "give each question once, not 'tone' again"),
        ("=.2", "give each question once, not '' again"),
        ("tone=.7", "epsilon 0.7: give a share from 0 to .5"),
        ("tune=.2", "parameter epsilon: by-hand has no 'tune'. Choose from tone, style, overall."),
    ],
)
def test_an_epsilon_that_says_nothing_is_refused_with_the_remedy(tmp_path, said, error):
    with pytest.raises(ValueError) as told:
        compare(two_questions(tmp_path), "m0", epsilon=said)
    assert error in str(told.value)
