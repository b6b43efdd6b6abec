"""RAGQuestEval with several raters: every pair of answers counts, and nobody's name does."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raterbook.analysis.text import token_f1
from raterbook.numbers.compute import summary
from tests.analysis.conftest import build
from tests.numbers.test_questeval_measures import QUEST, QUEST_MEASURES, U

PAIRED = [{"statistic": f"difference_{name}"} for name in ("recall", "precision")]
KINDS = {
    **dict.fromkeys(("ana", "ben", "eva"), "human"),
    **dict.fromkeys(("gpt", "llm"), "model"),
    **dict.fromkeys(("chair", "dean"), "adjudicator"),
}


def numbers(answers, kinds=KINDS, aggregate="macro", **how):
    rows = summary(build(answers, kinds), QUEST_MEASURES, QUEST, **how)
    return {
        row["statistic"]: row
        for row in rows
        if row["aggregate"] == aggregate and row["group"] is None
    }


def estimates(answers, **how):
    return {name: row["estimate"] for name, row in numbers(answers, **how).items()}


def of_reference(part, **said):
    return [("case:a", part, rater, "reference_answer", text) for rater, text in said.items()]


def of_text(part, **said):
    return [("a/m", part, rater, "generated_answer", text) for rater, text in said.items()]


# Question 1: the reference says "x b", "x" and nothing; the text "x" and nothing. Of 6 pairs 2 have
# both answers, 4 one from the reference, 3 one from the text; their F1 are 2/3 and 1.
# Question 2: both are answered alike, by one rater each.
TWO = [
    *of_reference(1, ana="x b", ben="x", eva=U),
    *of_text(1, ana="x", ben=U),
    *of_reference(2, ana="c"),
    *of_text(2, ben="c"),
]


def test_every_pair_of_answers_to_a_question_weighs_the_same_and_every_question_too():
    assert estimates(TWO) == pytest.approx(
        {
            "recall": (2 / 6 + 1) / (4 / 6 + 1),
            "recall_over_all": (3 / 6 + 1) / 2,
            "precision": ((2 / 3 + 1) / 6 + 1) / (2 / 6 + 1),
            "precision_over_kept": ((2 / 3 + 1) / 6 + 1) / (4 / 6 + 1),
            "precision_over_all": ((2 / 3 + 1) / 6 + 1) / 2,
        }
    )


def test_the_ratings_counted_are_the_answers_from_the_text():
    for row in numbers(TWO).values():
        assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (1, 3, 3)


def test_the_pooled_number_gives_every_question_of_every_text_the_same_weight():
    other = [
        ("case:b", 1, "ana", "reference_answer", "d"),
        ("b/m", 1, "ana", "generated_answer", U),
    ]
    pooled = estimates([*TWO, *other], aggregate="micro")
    assert pooled["recall"] == pytest.approx((2 / 6 + 1 + 0) / (4 / 6 + 1 + 1))
    compatible = estimates([*TWO, *other], aggregate="compatible")
    assert compatible["precision"] == pytest.approx(estimates(TWO)["precision"] / 2)


def test_all_people_come_before_models_from_the_reference_question_by_question():
    answers = [
        *of_reference(1, gpt="x", ana="y", ben="y"),
        *of_reference(2, gpt="z", llm="w"),
        *of_text(1, ana="y", gpt=U),
        *of_text(2, ana="z"),
    ]
    assert estimates(answers)["precision"] == pytest.approx((1 + 1 / 2) / 2)
    assert estimates(answers)["recall"] == 1


def test_an_adjudicators_answer_stands_alone_on_either_side():
    answers = [
        *of_reference(1, ana="x", ben="x", chair="y"),
        *of_text(1, ana="x", ben=U),
        *of_reference(2, ana="x"),
        *of_text(2, ana=U, ben=U, chair="x"),
    ]
    # Question 1: y against x and nothing; question 2: x against x.
    assert estimates(answers)["recall"] == pytest.approx((1 / 2 + 1) / 2)
    assert estimates(answers)["precision"] == pytest.approx((0 + 1) / (1 / 2 + 1))


def test_of_the_raters_a_report_names_all_count_a_model_too():
    answers = [*of_reference(1, ana="x"), *of_text(1, ana="x", ben=U, gpt=U)]
    assert estimates(answers)["recall"] == 1 / 2
    assert estimates(answers, raters=["ana", "gpt"])["recall"] == 1 / 2
    assert estimates(answers, raters=["ana"])["recall"] == 1
    # The references of others serve; their answers from the text do not.
    assert estimates(answers, raters=["gpt"])["recall"] == 0


def test_raters_named_who_answered_from_no_text_have_no_numbers_of_others():
    answers = [*of_reference(1, ana="x", ben="x"), *of_text(1, ana="x")]
    [row] = {row["reason"] for row in numbers(answers, raters=["ben"]).values()}
    assert row == "no_questions"


def test_raters_who_say_the_same_come_to_what_one_of_them_does():
    one = [*of_reference(1, ana="x b"), *of_reference(2, ana="c"), *of_reference(3, ana="d")]
    one += [*of_text(1, ana="x y"), *of_text(2, ana="c"), *of_text(3, ana=U)]
    all_three = [(*row[:2], rater, *row[3:]) for row in one for rater in ("ana", "ben", "eva")]
    assert estimates(all_three) == estimates(one)


# Their F1 are sevenths, ninths and the like, whose sums round by their order.
ANSWERS = st.sampled_from(["x b", "x", "x c d b e", "c d x b g h i", U, None])


SYSTEMS = "mno"


@st.composite
def rounds(draw):
    """Up to five raters of any kind on two cases, three systems and two questions."""
    raters = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5, unique=True))
    found = []
    for case in "ab":
        for part in (1, 2):
            for rater in raters:
                given = [(f"case:{case}", "reference_answer", draw(ANSWERS))]
                given += [(f"{case}/{m}", "generated_answer", draw(ANSWERS)) for m in SYSTEMS]
                given += [(f"case:{case}", "keep", draw(st.sampled_from(["keep", "drop", None])))]
                found += [(of, part, rater, q, said) for of, q, said in given if said is not None]
    return found


@settings(max_examples=60, deadline=None)
@given(rounds(), st.permutations(sorted(KINDS)), st.randoms(use_true_random=False))
def test_raters_under_other_names_get_the_very_same_numbers(answers, names, random):
    called = dict(zip(sorted(KINDS), names, strict=True))

    def rows(given, kinds, back):
        if not given:
            return {}
        frame = build(given, kinds, model={f"{case}/{m}": m for case in "ab" for m in SYSTEMS})
        measures = [*({**each, "by": ["model"]} for each in QUEST_MEASURES), *PAIRED]
        measures = [{**each, "question": ["generated_answer"]} for each in measures]
        found = {}
        for row in summary(frame, measures, QUEST):
            group = dict(row.pop("group") or {})
            group["rater"] = back.get(group.get("rater"))
            raters = row.pop("raters")
            row["raters"] = [back[r] for r in raters] if isinstance(raters, list) else raters
            found[row["statistic"], row["aggregate"], *sorted(group.items(), key=str)] = row
        return found

    renamed = [(*row[:2], called[row[2]], *row[3:]) for row in answers]
    random.shuffle(renamed)
    kinds = {called[rater]: kind for rater, kind in KINDS.items()}
    back = {new: old for old, new in called.items()}
    assert rows(renamed, kinds, back) == rows(answers, KINDS, {name: name for name in KINDS})


@settings(max_examples=60, deadline=None)
@given(rounds())
def test_precision_over_kept_is_precision_times_recall_in_every_text(answers):
    for case in "ab":
        for system in SYSTEMS:
            own = [row for row in answers if row[0] in (f"case:{case}", f"{case}/{system}")]
            if not own:
                continue
            found = estimates(own, interval=None)
            if found["precision"] is not None:
                product = found["precision"] * found["recall"]
                assert found["precision_over_kept"] == pytest.approx(product)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["x b", "x", "c d", U]), min_size=1, max_size=4),
    st.lists(st.sampled_from(["x b", "x", "c d", U]), min_size=1, max_size=4),
)
def test_a_question_comes_to_what_its_pairs_one_by_one_come_to(reference, generated):
    names = ("ana", "ben", "eva", "ivo")
    answers = [
        *of_reference(1, **dict(zip(names, reference, strict=False))),
        *of_text(1, **dict(zip(names, generated, strict=False))),
    ]
    found = estimates(answers, kinds={}, interval=None)
    pairs = [(a, b) for a in reference for b in generated]
    both = [token_f1(a, b) for a, b in pairs if U not in (a, b)]
    answered = sum(a != U for a, _ in pairs)
    over = len(pairs)
    assert found == pytest.approx(
        {
            "recall": len(both) / answered if answered else None,
            "recall_over_all": sum(b != U for _, b in pairs) / over,
            "precision": sum(both) / len(both) if both else None,
            "precision_over_kept": sum(both) / answered if answered else None,
            "precision_over_all": sum(both) / over,
        }
    )


def test_sums_that_round_by_their_order_do_not_turn_on_the_names_either():
    said = ("c d x b g h i", "x b", "x c d b e", "b c")
    found = set()
    for names in permutations(("ana", "ben", "eva", "ivo")):
        answers = [
            *of_reference(1, **dict(zip(names, said, strict=True))),
            *of_text(1, **dict(zip(names, said[::-1], strict=True))),
        ]
        found.add(estimates(answers, kinds={}, interval=None)["precision"])
    assert len(found) == 1


def test_of_two_raters_each_stands_alone_as_well_and_one_does_not():
    def alone(answers, **how):
        made = summary(build(answers, KINDS), [{"statistic": "recall"}], QUEST, **how)
        return {row["group"]["rater"]: row["estimate"] for row in made if row["group"]}

    # Of question 1 ana found what she saw in the reference, and ben did not; question 2 has no
    # answer from the text by her and none from the reference by him.
    assert alone(TWO) == {"ana": 1, "ben": 0}
    assert alone([row for row in TWO if row[3] == "reference_answer" or row[2] == "ben"]) == {}
    assert alone(TWO, raters=["ana"]) == {}


def test_one_person_s_one_answer_from_the_text_leaves_models_out_everywhere():
    said = [*of_reference(1, ana="a"), *of_reference(2, ana="b")]
    answers = [*said, *of_text(1, ana="a"), *of_text(2, gpt="b")]
    assert numbers(answers)["recall"]["n_ratings"] == 1
