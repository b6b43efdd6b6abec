"""A model beside people in a round: the verdict, what is corrected, and what is refused."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from raterbook.analysis import alpha, kappa
from raterbook.analysis.comparison.habits import by_agreement
from raterbook.cli import main
from raterbook.numbers.compare import compare
from raterbook.numbers.compute import numbers
from raterbook.protocols import parse
from raterbook.rounds import Event, ItemTable, RoundError, Store
from tests.reporting.rounds import asking, choice, opened, page_of, records, scale, words_of

PEOPLE = ("ana", "ben", "cai")


def rated(folder, off=0.3, people=PEOPLE, items=60, people_on=None, chance=None, seed=7):
    """Everybody says the truth of two criteria, but for one answer in three; the model `off`."""
    rng, answers = random.Random(seed), []
    rows = records("neureg-qa", items)
    if chance is not None:
        rows = [{**row, "chance": chance(at)} for at, row in enumerate(rows)]
    for at in range(items):
        for question in ("accuracy", "fluency"):
            true = rng.choice((2, 3, 4, 5))
            for who in (*people, "gauge"):
                wrong = rng.random() < (off if who == "gauge" else 0.3)
                value = min(5, max(1, true + (rng.choice((-1, 1)) if wrong else 0)))
                if who == "gauge" or people_on is None or people_on(at):
                    answers.append((who, f"i{at:03d}", question, value))
    return opened(folder, "neureg-qa", rows, answers, {"gauge": "model"})


@pytest.mark.parametrize(
    ("off", "items", "kind"),
    [(0.1, 120, "may replace"), (1.0, 120, "may assist"), (0.6, 40, "cannot be told")],
)
def test_the_sentence_says_one_of_four_things(tmp_path, off, items, kind):
    found = compare(rated(tmp_path, off, items=items), "gauge").part("accuracy")
    assert found.verdict.kind == kind
    assert "gauge may replace people cannot be told" in found.verdict.sentence or (
        f"gauge {kind}" in found.verdict.sentence
    )


def test_a_model_that_guesses_may_not_replace_nor_assist(tmp_path):
    rng, answers = random.Random(1), []
    for at in range(120):
        true = rng.randint(1, 5)
        for who in PEOPLE:
            answers.append((who, f"i{at:03d}", "accuracy", true))
        answers.append(("gauge", f"i{at:03d}", "accuracy", rng.randint(1, 5)))
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 120), answers, {"gauge": "model"})
    assert compare(stored, "gauge").overall.verdict.kind == "may not"


def test_one_person_alone_cannot_tell_and_the_sentence_says_what_would(tmp_path):
    found = compare(rated(tmp_path, people=("ana",)), "gauge")
    assert found.overall.verdict.kind == "cannot be told"
    assert found.sentence.endswith("a second person on the same items would tell.")


def test_fewer_than_thirty_items_cannot_tell(tmp_path):
    found = compare(rated(tmp_path, items=20), "gauge").part("accuracy")
    assert found.verdict.sentence == (
        "Whether gauge may replace people cannot be told: nobody rated more than 20 items beside "
        "another person and the model; 30 items would tell."
    )


def test_the_verdict_on_all_names_the_questions_that_say_otherwise(tmp_path):
    found = compare(rated(tmp_path), "gauge")
    kinds = {part.question: part.verdict.kind for part in found.parts}
    assert kinds == {None: "may replace", "accuracy": "may replace", "fluency": "cannot be told"}
    assert found.sentence.endswith("Taken alone, otherwise: fluency (cannot be told).")


def test_its_numbers_are_those_of_numbers_json(tmp_path):
    stored = rated(tmp_path)
    rows = numbers(stored)
    for each in compare(stored, "gauge").part("accuracy").plain:
        row = rows.get(each.statistic, "accuracy", rater="gauge")
        expected = [row["estimate"], row["low"], row["high"]]
        assert [each.value, each.low, each.high] == pytest.approx(expected)


def test_where_the_others_agree_and_where_they_differ_the_model_is_looked_at(tmp_path):
    stored = rated(tmp_path)
    part = compare(stored, "gauge").part("accuracy")
    ratings = stored.frame()
    ratings = ratings[ratings["question"].astype(str).eq("accuracy")]
    table = ratings.pivot(index="item", columns="rater", values="number")
    expected = by_agreement(table[[*PEOPLE, "gauge"]].to_numpy(), 3, interval=None)
    assert {which for which, _ in part.agreed} == {"agreed", "apart"}
    for which, lines in part.agreed:
        for found, own in zip(lines, expected[which], strict=True):
            assert found.statistic == own.statistic
            assert (found.model.value, found.persons.value) == pytest.approx(
                (own.model.value, own.persons.value)
            )


def test_alpha_and_kappa_are_those_of_analysis(tmp_path):
    stored = rated(tmp_path)
    found = compare(stored, "gauge").part("accuracy")
    table = stored.frame().query("question == 'accuracy'").astype({"rater": str, "item": str})
    table = table.pivot(index="item", columns="rater", values="number")
    for each, raters in zip(found.alphas, (list(PEOPLE), [*PEOPLE, "gauge"]), strict=True):
        assert each.value == alpha(table[raters], "ordinal").value
    [line] = [line for line in found.beside if line.statistic == "kappa"]
    expected = kappa(table[list(PEOPLE)], weights="quadratic", interval=None).value
    assert line.persons.value == pytest.approx(expected)


# People on some of the items.


def test_without_a_known_chance_nothing_is_corrected_and_the_reason_stands(tmp_path):
    stored = rated(tmp_path, people_on=lambda at: at < 40)
    [mean] = compare(stored, "gauge").part("accuracy").means
    assert (mean.corrected.value, mean.corrected.reason) == (None, "inclusion_unknown")
    assert mean.people.n_units == 40
    assert mean.model.n_units == 60


def test_with_a_known_chance_the_means_stand_side_by_side(tmp_path):
    stored = rated(tmp_path, people_on=lambda at: at < 40, chance=lambda at: "0.6667")
    [mean] = compare(stored, "gauge", inclusion="chance").part("accuracy").means
    assert mean.corrected.low < mean.corrected.value < mean.corrected.high
    width = mean.corrected.high - mean.corrected.low
    assert width < mean.people.high - mean.people.low


def test_an_item_that_could_not_come_to_people_is_refused_with_the_reason(tmp_path):
    stored = rated(tmp_path, people_on=lambda at: at < 40, chance=lambda at: str(int(at < 40)))
    [mean] = compare(stored, "gauge", inclusion="chance").part("accuracy").means
    assert mean.corrected.reason == "inclusion_zero"


def test_a_chance_that_is_none_is_refused_with_its_item(tmp_path):
    stored = rated(tmp_path, people_on=lambda at: at < 40, chance=lambda at: "often")
    with pytest.raises(ValueError, match="item i000, column chance: 'often' is no chance: give 0"):
        compare(stored, "gauge", inclusion="chance")


def test_where_people_rated_all_there_is_nothing_to_correct(tmp_path):
    [mean] = compare(rated(tmp_path), "gauge").part("accuracy").means
    assert mean.corrected.reason == "nothing_to_correct"


LABELS = {"label": choice("good", "bad")}


def labelled(folder, groups=10, size=8):
    """Clusters of like items, in which the model errs together; people on every other cluster."""
    rng = random.Random(5)
    rows, answers = [], []
    for group in range(groups):
        true, wrong = rng.choice(("good", "bad")), group % 5 == 0
        for at in range(size):
            key = f"g{group:02d}-{at}"
            rows.append({"id": key, "text": "…", "auto": "", "place": f"p{group}", "chance": "0.5",
                         "topic": "odd" if group % 2 else "even"})  # fmt: skip
            other = "bad" if true == "good" else "good"
            answers.append(("gauge", key, "label", other if wrong else true))
            if group % 2 == 0:
                answers += [
                    (who, key, "label", true if rng.random() < 0.9 else other) for who in PEOPLE
                ]
    text = asking(LABELS, cluster="place", groups=["topic"])
    return opened(folder, items=rows, answers=answers, kinds={"gauge": "model"}, text=text)


def test_labels_are_corrected_label_by_label_and_by_the_models_rates(tmp_path):
    found = compare(labelled(tmp_path), "gauge", inclusion="chance").part("label")
    assert [mean.label for mean in found.means] == ["good", "bad"]
    for mean in found.means:
        assert 0 <= mean.by_rates.low <= mean.by_rates.value <= mean.by_rates.high <= 1
    assert sum(mean.corrected.value for mean in found.means) == pytest.approx(1)


def test_five_clusters_give_no_verdict(tmp_path):
    found = compare(labelled(tmp_path), "gauge").part("label")
    assert found.test.reason == "too_few_clusters"
    assert "5 independent clusters" in found.verdict.sentence


def test_groups_with_thirty_items_have_a_comparison_of_their_own(tmp_path):
    stored = labelled(tmp_path)
    groups = [dict(part.group) for part in compare(stored, "gauge").parts]
    # All that people rated is even, and with less than the whole round it is a group.
    assert groups == [{}, {"topic": "even"}]


# At the command line, in files and notebooks.


def test_the_command_prints_the_sentence_and_json_that_holds_it(tmp_path, capsys):
    stored = rated(tmp_path)
    words = ["--db", str(stored.store.path), "compare", "by-hand", "--model", "gauge"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert main([*words, "--json", "--epsilon", ".2"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert compare(stored, "gauge").sentence in printed
    assert written["sentence"] == compare(stored, "gauge", epsilon=0.2).sentence
    assert written["parts"][1]["test"]["persons"][0]["rater"] == "ana"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "gouge"], "by-hand has no model 'gouge'; its models: gauge."),
        (["--model", "ana"], "ana is a rater of kind human in by-hand: name a model (gauge)."),
        (["--model", "gauge", "--epsilon", "15"], "epsilon 15.0: give a share from 0 to .5"),
        (
            ["--model", "gauge", "--group", "shape"],
            "parameter groups: by-hand has no 'shape'. Choose from",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_remedy(tmp_path, capsys, words, said):
    stored = rated(tmp_path, items=5)
    assert main(["--db", str(stored.store.path), "compare", "by-hand", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_model_without_people_is_refused_with_the_command(tmp_path):
    with pytest.raises(ValueError, match="raterbook judge by-hand --model gauge"):
        compare(rated(tmp_path, people=()), "gauge")


def test_a_comparison_shows_itself_and_names_are_text(tmp_path):
    rng, answers = random.Random(3), []
    for at in range(40):
        true = rng.randint(1, 5)
        answers += [(who, f"i{at:03d}", "tone", true) for who in ("ana", "ben", "<b>m")]
    rows = [{"id": f"i{at:03d}", "text": "…"} for at in range(40)]
    text = asking({"tone": scale(5)})
    stored = opened(tmp_path, items=rows, answers=answers, kinds={"<b>m": "model"}, text=text)
    shown = compare(stored, "<b>m")._repr_html_()
    assert "&lt;b&gt;m may replace these people" in shown
    assert "<b>m" not in shown


# Items drawn for people beside a model that rates all.


def drawn(folder, rows, left=0, **how):
    """A round of which people rate what was drawn for them, but so many, and the model all."""
    asked = parse(asking({"tone": scale(5)}), source="given.yaml")
    store = Store(str(folder / "drawn.sqlite"))
    table = ItemTable.from_records(asked, rows)
    stored = store.open("by-hand", asked, table, raters=["ana", "ben"], **how)
    stored.add_rater("gauge", kind="model")
    rng = random.Random(2)
    true = {row["id"]: rng.randint(2, 4) for row in rows}
    for who in ("ana", "ben", "gauge"):
        keys = [item.key for item in stored.queue(who)]
        keys = keys if who == "gauge" else sorted(keys)[left:]
        events = [Event(f"{who}{key}", key, "tone", true[key] + (who == "gauge")) for key in keys]
        assert all(ack.ok for ack in stored.save(who, events))
    return stored, true


ROWS = [{"id": f"i{at:03d}", "text": "…", "sort": "ab"[at % 3 == 0]} for at in range(90)]


def test_people_are_given_the_items_drawn_and_models_all(tmp_path):
    stored, _ = drawn(tmp_path, ROWS, double=40)
    assert [len(stored.queue(who)) for who in ("ana", "ben", "gauge")] == [40, 40, 90]
    assert {item.key for item in stored.queue("ana")} == {item.key for item in stored.queue("ben")}


def test_a_model_that_is_always_one_too_high_is_corrected_to_the_truth(tmp_path):
    stored, true = drawn(tmp_path, ROWS, double=40)
    found = compare(stored, "gauge")
    [mean] = found.part("tone").means
    truth = sum(true.values()) / len(true)
    assert mean.model.value == pytest.approx(truth + 1)
    assert abs(mean.corrected.value - truth) < 0.4 * abs(mean.people.value - truth) + 1e-9
    assert found.notes == ("People rate 40 of 90 items, drawn by chance.",)


def test_of_the_items_drawn_those_are_counted_that_nobody_rated_yet(tmp_path):
    stored, _ = drawn(tmp_path, ROWS, left=7, double=40)
    assert compare(stored, "gauge").notes == (
        "People rate 40 of 90 items, drawn by chance; 7 of them nobody has rated yet, as if by "
        "chance too.",
    )


def test_strata_with_other_chances_are_weighted(tmp_path):
    stored, _ = drawn(tmp_path, ROWS, double=20, by=["sort"])
    chance = json.loads(stored.options)["double"]["chance"]
    assert {ROWS[at]["sort"]: chance[ROWS[at]["id"]] for at in (0, 1)} == {
        "b": pytest.approx(7 / 30), "a": pytest.approx(13 / 60),
    }  # fmt: skip
    [mean] = compare(stored, "gauge").part("tone").means
    assert mean.corrected.low < mean.corrected.value < mean.corrected.high


def test_who_rates_an_item_that_was_not_drawn_makes_the_chances_unknown(tmp_path):
    stored, _ = drawn(tmp_path, ROWS, double=40)
    left = json.loads(stored.options)["double"]
    other = next(key for key in left["chance"] if key not in left["items"])
    assert stored.save("ana", [Event("more", other, "tone", 3)])[0].ok
    [mean] = compare(stored, "gauge").part("tone").means
    assert mean.corrected.reason == "inclusion_unknown"


def test_items_that_come_later_go_to_everybody(tmp_path):
    stored, _ = drawn(tmp_path, ROWS, double=40)
    later = [{"id": "late", "text": "…"}]
    stored.add_items(ItemTable.from_records(stored.protocol, later))
    assert "late" in {item.key for item in stored.queue("ana")}


def test_more_items_than_there_are_cannot_be_drawn_for_people(tmp_path):
    with pytest.raises(RoundError, match="a sample of 91 cannot be taken from 90 items"):
        drawn(tmp_path, ROWS, double=91)


def test_the_notebook_says_the_sentence_and_shows_the_test_and_the_numbers(tmp_path):
    stored = rated(tmp_path)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--no-progress-bar",
         str(root / "notebooks" / "compare.ipynb"), "out.ipynb", "-p", "round_name", "by-hand"],
        cwd=tmp_path, env=os.environ | {"RATERBOOK_DB": str(stored.store.path)},
        capture_output=True, check=False, timeout=300, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = {cell["id"]: json.dumps(cell.get("outputs"), ensure_ascii=False) for cell in cells}
    assert compare(stored, "gauge").sentence in outputs["compare"]
    assert "winning rate 1.00" in outputs["test"]
    assert "in a person's place" in outputs["frame"]
    assert not any("stderr" in output for output in outputs.values())


def test_without_a_name_it_is_the_only_model_and_of_several_one_has_to_be_named(tmp_path):
    stored = rated(tmp_path, items=30)
    assert compare(stored).model == "gauge"
    stored.add_rater("meter", kind="model")
    assert stored.save("meter", [Event("one", "i000", "accuracy", 3)])[0].ok
    assert "2 models of this round can be compared" in compare(stored, "gauge").notes[0]
    with pytest.raises(ValueError, match=r"name the model to compare \(gauge, meter\)"):
        compare(stored)


def top_heavy(folder, model, rare=10):
    """Nearly all answers are a 5; the persons see the `rare` other, the model as it is told."""
    rng, answers = random.Random(11), []
    for at in range(150):
        true = 2 if at % rare == 0 else 5
        answers += [(who, f"i{at:03d}", "accuracy", true if rng.random() < 0.95 else 4)
                    for who in PEOPLE]  # fmt: skip
        answers.append(("gauge", f"i{at:03d}", "accuracy", model(at, true)))
    return opened(folder, "neureg-qa", records("neureg-qa", 150), answers, {"gauge": "model"})


def test_a_model_that_always_gives_the_top_passes_the_test_and_is_not_let_in_by_it(tmp_path):
    found = compare(top_heavy(tmp_path, lambda at, true: 4 if at % 30 == 7 else 5, 50), "gauge")
    assert found.overall.test.passes
    assert found.overall.verdict.kind == "cannot be told"
    assert "that it tells items apart as people do is not shown" in found.sentence


def test_a_model_that_passes_and_goes_with_people_less_than_a_person_is_said_to(tmp_path):
    found = compare(top_heavy(tmp_path, lambda at, true: 5 if at % 20 == 0 else true), "gauge")
    assert found.overall.verdict.kind == "may replace"
    assert "Yet its answers go with people's less than a person's do: κ" in found.sentence


def test_the_page_says_the_sentence_below_the_models_numbers(tmp_path):
    stored = rated(tmp_path)
    words = words_of(page_of(stored))
    assert "May gauge replace people?" in words
    assert " ".join(compare(stored, "gauge").sentence.replace("\u00a0", " ").split()) in words


def test_people_who_hardly_agree_make_it_easy_to_be_as_near_and_the_sentence_says_so(tmp_path):
    rng, answers = random.Random(3), []
    for at in range(200):
        true = rng.choice((3, 4))
        for who in (*PEOPLE, "gauge"):
            off = rng.choice((-1, 0, 1)) if who != "gauge" else 0
            answers.append((who, f"i{at:03d}", "accuracy", true + off))
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 200), answers, {"gauge": "model"})
    said = "These people's own answers go together little beyond chance (α 0."
    assert said in compare(stored, "gauge").sentence
    assert "beyond chance" not in compare(rated(tmp_path), "gauge").sentence


def test_a_share_that_is_not_all_is_never_called_a_hundred(tmp_path):
    answers = [
        (who, f"i{at:03d}", "accuracy", 1 + at % 5 if who != "gauge" or at else 5)
        for at in range(400)
        for who in (*PEOPLE, "gauge")
    ]
    stored = opened(tmp_path, "neureg-qa", records("neureg-qa", 400), answers, {"gauge": "model"})
    assert "on 99.8 % of their items" in compare(stored, "gauge").sentence
