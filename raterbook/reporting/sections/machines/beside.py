"""Models beside people number by number, where a report asks for it: habits, confidence, rank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from raterbook.analysis.comparison.persons import Contrast
from raterbook.analysis.estimate import sentence

from ....numbers.compare.comparison import BEYOND, Compared, Comparison, severity_said
from ....numbers.compare.ranking import Ranked, ranking_of
from ....numbers.compare.rows import ComparisonRow, entries
from ....numbers.number import UNTRUSTED
from ....protocols.comparisons import facts
from ....protocols.statistics import of_family
from ...html import NOTHING, Section, bullets, fold, heading, join, paragraph, table
from ...words import (
    POINTS,
    SIGNED,
    count,
    interval,
    is_share,
    listing,
    minus,
    name_of,
    number,
    percent,
)

if TYPE_CHECKING:
    from ...report import Report

# What is said of a number that differs from people's: by whose side it lies.
HABITS = {
    "leniency": ("scores higher than a person does", "scores lower than a person does"),
    "spread": ("spreads its scores further than a person does", "spreads its scores less far than "
               "a person does"),
    "range_slope": ("sets items that others score low and high further apart than a person does",
                    "sets items that others score low and high less far apart than a person does"),
    "length_slope": ("scores a text that is twice as long higher than a person would",
                     "scores a text that is twice as long lower than a person would"),
    "own_family": ("scores outputs of its own family higher than other outputs, against people",
                   "scores outputs of its own family lower than other outputs, against people"),
    "halo_effect": ("scores one output more alike over its questions than a person does",
             "scores one output less alike over its questions than a person does"),
    "flips": ("turns with the order oftener than a person", "turns with the order less often than "
              "a person"),
    "stability": ("gives the same answer again oftener than a person", "gives the same answer "
                  "again less often than a person"),
}  # fmt: skip


def beside(report: Report) -> Section | None:
    """Models set beside people: their habits, their confidence, and which comes nearest."""
    if not report.judged:
        return None
    parts = [ranked(report)]
    for model, (_, found) in report.judged.items():
        parts.append(heading(f"{model} beside people"))
        parts += [paragraph(severity_said(model, own)) for _, own in found.overall.severity[:1]]
        parts.append(nearness(report, found))
        parts.append(means(report, found))
        parts.append(habits(report, found))
        parts.append(groups(report, found))
        parts.append(by_agreement(report, found))
        parts.append(confidence(report, found))
    return Section("Models beside people", join(parts))


def whole(found: Comparison) -> list[Compared]:
    """The parts of all items."""
    return [each for each in found.parts if not each.group]


def label(report: Report, part: Compared | Ranked) -> str:
    return report.label(part.question) if part.question else "All questions"


# How near it comes.


def nearness(report: Report, found: Comparison) -> Markup:
    """The same answer, distance, order and κ beside a person's; α with the model and without."""
    every = [(part, line.statistic, line) for part in whole(found) for line in part.beside
             if facts(line.statistic).against]  # fmt: skip
    lines = list(_lines(report, every))
    alphas = [
        (label(report, part), *(_said(each, each.statistic) for each in part.alphas))
        for part in whole(found) if part.alphas
    ]  # fmt: skip
    if not lines:
        return NOTHING
    head = ("Question", "Number", "The model", "A person", "Between them")
    made = table(head, lines, f"How near {found.model} comes to people, and how near a person does",
                 text=2)  # fmt: skip
    note = _meant([(name, name_of(name)) for _, name, _ in every])
    note += " All against the same other people, person by person." + _by_chance(found, lines)
    made += paragraph(note, "soft")
    if alphas:
        made += table(("Question", "People", "People and the model"), alphas,
                      facts("alpha_beside").label)  # fmt: skip
        made += paragraph(facts("alpha_beside").says, "soft")
    nothing = (
        f"That {found.model} is nearer to people than a person is, or less near, is not shown."
    )
    return _told(report, every, found, nothing) + fold("How near it comes", made)


def means(report: Report, found: Comparison) -> Markup:
    """What people say, what the model says, and what people would say of all items."""
    lines: list[tuple[str, ...]] = []
    reasons: dict[str, None] = {}
    for part in whole(found):
        for each in part.means:
            kind = "corrected_mean" if each.label is None else "corrected_share"
            sides = (each.people, each.model, each.corrected, each.by_rates)
            cells = ["–" if side is None else _said(side, kind) for side in sides]
            lines.append(
                (label(report, part), "mean" if each.label is None else each.label, *cells)
            )
            if each.corrected.reason is not None:
                reasons[sentence(each.corrected.reason)] = None
    if not lines:
        return NOTHING
    head = ("Question", "What", "People alone", "The model alone", "Corrected", "By its rates")
    kept = [at for at in range(len(head)) if at < 4 or any(line[at] != "–" for line in lines)]
    lines = [tuple(line[at] for at in kept) for line in lines]
    made = table([head[at] for at in kept], lines, f"By people, by {found.model}, and corrected",
                 text=2)  # fmt: skip
    note = (
        "Corrected: what people would have given all items the model answered, from the items both "
        "answered. "
    )
    return fold("Means", made + paragraph((note + " ".join(reasons)).strip(), "soft"))


# How it rates.


def habits(report: Report, found: Comparison) -> Markup:
    """What it does otherwise than a person beyond doubt, and the numbers question by question."""
    every = [each for part in whole(found) for each in of_habits(part)]
    lines = list(_lines(report, every))
    if not lines:
        return NOTHING
    head = ("Question", "Habit", "The model", "A person", "Between them")
    made = table(head, lines, f"How {found.model} rates, and how a person does", text=2)
    note = "Leniency: how much higher than the others’ mean one scores. " + _meant(
        [(name, name_of(name)) for _, name, _ in every if name != "leniency"]
    )
    note += _by_chance(found, lines)
    nothing = f"In none of its habits is {found.model} shown to differ from a person."
    told = _told(report, every, found, nothing)
    return told + fold("Habit by habit", made + paragraph(note, "soft"))


Line = tuple[Compared, str, Contrast]  # of a part, what is said of it, and the number


def of_habits(part: Compared) -> Iterator[Line]:
    """Leniency, and what else the model may do otherwise."""
    wanted = [name for name in of_family("judge") if facts(name).ends == "width"]
    for line in part.beside:
        if line.statistic in wanted:
            yield part, "leniency", line
    for line in part.habits:
        yield part, line.statistic, line


def _lines(report: Report, every: Iterable[Line]) -> Iterator[tuple[str, ...]]:
    """Of each number that there is, a line of the table."""
    for part, name, line in every:
        if line.model.value is not None:
            kind = SIGNED if facts(line.statistic).ends == "width" else line.statistic
            cells = [_said(each, kind) for each in (line.model, line.persons)]
            called = "Leniency" if kind is SIGNED else name_of(name)
            yield (
                label(report, part),
                called,
                *cells,
                _said(line.difference, between_them(line.statistic)),
            )


def between_them(statistic: str) -> Any:
    """How a difference of two such numbers is written."""
    return POINTS if is_share(statistic) else SIGNED


def _told(report: Report, every: Iterable[Line], found: Comparison, nothing: str) -> Markup:
    """A sentence for each number that differs from people's, with the questions it is of."""
    sides: dict[tuple[str, int], list[str]] = {}
    for part, name, line in every:
        gap = line.difference
        low, high = gap.low, gap.high
        if low is not None and high is not None and not round(low, 2) <= 0 <= round(high, 2):
            where = f"{label(report, part)} {_said(gap, between_them(line.statistic))}"
            sides.setdefault((name, int(low <= 0)), []).append(where)
    shown = [
        f"{found.model} {_what(name)[side]}: {listing(named)}."
        for (name, side), named in sides.items()
    ]
    return bullets(shown) if shown else paragraph(nothing)


def _what(name: str) -> tuple[str, ...]:
    """What a model does whose number is above a person's, and one whose number is below."""
    return HABITS.get(name) or tuple(f"{one} than a person does" for one in facts(name).against)


def _meant(named: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{called}: {facts(name).says}" for name, called in dict.fromkeys(named))


def _by_chance(found: Comparison, lines: Sequence[tuple[str, ...]]) -> str:
    given = [line for line in lines if "(" in line[-1]]
    return (
        f" Each is told by its own interval: of {len(given):,} looked at, about "
        f"{number(len(given) * (1 - found.coverage))} would differ by chance alone."
    )


def _said(found: Any, kind: Any) -> str:
    if found.value is None:
        return "–"
    between = "" if UNTRUSTED in found.warnings else interval(found.low, found.high, kind)
    return number(found.value, kind) + (f" ({between})" if between else "")


# Where it parts.


def groups(report: Report, found: Comparison) -> Markup:
    """The groups of items on which it is further from people than elsewhere, as persons are not."""
    every = [(part, each) for part in whole(found) for each in part.apart]
    further, less = [], []
    for part, each in every:
        gap, own, name = each.found.difference, each.found.model, label(report, part)
        name = f"{name}, {each.column} {each.value}"
        if each.p_corrected is None or each.p_corrected > BEYOND or round(gap.low or 0.0, 2) <= 0:
            continue
        if round(own.low or 0.0, 2) > 0:
            further.append(f"{name}: {_said(gap, SIGNED)} more than persons.")
        else:
            sides = (_said(side, SIGNED) for side in (own, each.found.persons))
            less.append(f"{name}: {' against '.join(sides)} of persons.")
    tried = [each for _, each in every if each.p is not None]
    if not tried:
        return NOTHING
    many = count(len(tried), "group of items", "groups of items")
    said = paragraph(
        f"On none of {many} is {found.model} shown to be further from people than elsewhere, "
        "beyond what persons are there."
    )
    if further:
        said = paragraph(
            f"On {len(further)} of {many} {found.model} is further from people than elsewhere, "
            "beyond what persons are there (question by question after Holm):"
        ) + bullets(further)
    if less:
        said += paragraph(
            f"On {len(less)} of {many} it falls back behind persons, set against elsewhere, though "
            "that it is further from people there than elsewhere is not shown (distance there less "
            "that elsewhere):"
        ) + bullets(less)
    return said


AGREEMENT = {"agreed": "agree", "apart": "differ"}


def by_agreement(report: Report, found: Comparison) -> Markup:
    """The same answer, κ and the test, where the others agree and where they do not."""
    same, kappas = [], []
    for part in whole(found):
        tests = dict(part.split)
        for which, each in part.agreed:
            first = (label(report, part), AGREEMENT[which])
            test, stands = tests.get(which), "–"
            if test is not None and test.reason is None:
                stands = f"{sum(p.rejected for p in test.persons)} of {len(test.persons)}"
            exact, kappa = each[0], each[-1]
            same.append(
                (
                    *first,
                    _said(exact.model, exact.statistic),
                    _said(exact.persons, exact.statistic),
                    stands,
                )
            )
            sides = (kappa.model, kappa.persons, kappa.difference)
            kappas.append((*first, *(_said(side, kappa.statistic) for side in sides)))
    if not same:
        return NOTHING
    head = ("Question", "The others", "The model", "A person")
    made = table((*head, "Persons it stands in for"), same,
                 "The same answer, by how much the others agree", text=2)  # fmt: skip
    made += table((*head, "Between them"), kappas, "κ, by how much the others agree", text=2)
    note = (
        "The others are everybody but the person whose place it is. Persons are tested on those "
        "items alone, where they rated 30 of them from eight clusters. κ has no interval where "
        "fewer than 25 items have another value than the commonest."
    )
    return fold("By how much people agree", made + paragraph(note, "soft"))


# How sure it says it is.


def confidence(report: Report, found: Comparison) -> Markup:
    """Is it as often right as it says: a sentence for each question, and the figures behind it."""
    told, parts = [], []
    for part in whole(found):
        made = part.calibration
        if made is None:
            continue
        stated = {each.statistic: each for each in made.stated}
        mended = {each.statistic: each.model for each in made.mended}
        over = stated["overconfidence"]
        said = f"{found.model} on {label(report, part)}: {how_sure(over.model)}"
        theirs = "" if over.persons.value is None else f"; a person: {how_sure(over.persons)}"
        told.append(f"{said}{theirs}.")
        from ...figures.planes import reliability_figure

        drawn = reliability_figure(made.bins, said)
        alt = f"{said}, over {count(int(made.bins['n'].sum()), 'answer')}."
        caption = "A dot: answers of like confidence. Dotted: confidence that is right."
        name = f"confidence-{found.model}-{part.question}"
        parts.append(report.picture(name, drawn, alt, caption))
        lines = [
            (name_of(name), _said(each.model, name), _said(each.persons, name),
             _said(mended[name], name))
            for name, each in stated.items()
        ]  # fmt: skip
        head = ("Number", "The model", "A person", "After isotonic regression")
        parts.append(
            table(head, lines, f"How far confidence can be believed on {label(report, part)}")
        )
        if made.by_chance is not None:
            error = number(made.by_chance)
            note = f"Chance alone makes a calibration error of {error} with so few answers."
            parts.append(paragraph(note, "soft"))
    if not told:
        return NOTHING
    note = " ".join(f"{name_of(name)}: {facts(name).says}" for name in stated)
    note += " Regression is fitted on the other folds of items."
    parts.append(paragraph(note, "soft"))
    means = "Right is an answer that another person gives too; points are of a hundred."
    return join([
        heading("Stated confidence"), bullets(told), paragraph(means, "soft"),
        fold("Stated confidence, question by question", join(parts)),
    ])  # fmt: skip


def how_sure(over: Any) -> str:
    """“surer than right by 12 points (8 to 16)”, or that no difference is shown."""
    if over.low is None or over.low <= 0 <= over.high:
        return "that its confidence is too high or too low is not shown"
    which = "surer than right" if over.low > 0 else "less sure than right"
    ends = sorted(abs(end) for end in (over.low, over.high))
    between = " to ".join(percent(end) for end in ends)
    return f"{which} by {percent(abs(over.value))} points ({between})"


# Several models.


def ranked(report: Report) -> Markup:
    """Which model comes nearest to people, and which order is shown."""
    if len(report.judged) < 2:
        return NOTHING
    found = ranking_of(report.stored.name, report.judged)
    from ...figures.rows import nearest_figure

    part = found.overall
    rows = [row for row in part.rows() if row["advantage"] is not None]
    made = heading("Which model comes nearest to people") + paragraph(found.sentence)
    if rows:
        title = f"{rows[0]['model']} comes nearest to people"
        if len(part.first) > 1:
            title = f"{listing(part.first)} come nearest to people; their order is not shown"
        drawn = nearest_figure(rows, title)
        alt = "; ".join(f"{row['model']} {_between(row)}" for row in rows)
        made += report.picture("nearest", drawn, f"{title}: {alt}.", ADVANTAGE)
    lines = [
        (label(report, each), row["model"], row["verdict"], _between(row),
         number(row["winning_rate"], "winning_rate"), listing(row["beats"]) or "–")
        for each in found.parts
        for row in each.rows()
    ]  # fmt: skip
    head = ("Question", "Model", "Verdict", "As near as a person", "Persons it stands in for",
            "Shown to be nearer than")  # fmt: skip
    note = (
        f"{facts('advantage').says} Tests are "
        "corrected for all persons of all models of a question, pairs of models for all pairs "
        "(Benjamini and Yekutieli)."
    )
    return made + table(head, lines, "Models beside the same people", text=3) + paragraph(
        note, "soft"
    )  # fmt: skip


ADVANTAGE = "How often a model is at least as near to the others as a person is, with its interval."


def _between(row: Any) -> str:
    between = interval(row["low"], row["high"], "advantage")
    return number(row["advantage"], "advantage") + (f" ({between})" if between else "")


# One comparison by itself, as compare.ipynb shows it.


def persons(found: Comparison) -> Section:
    """Each person against the model, over all questions together."""
    test = found.overall.test
    lines = [
        (
            str(each.rater), f"{each.difference.n:,}", f"{each.difference.clusters:,}",
            number(_finite(each.difference.design_effect)), number(each.advantage, "advantage"),
            number(each.difference.value, SIGNED), minus(f"{each.p:.3f}"),
            "yes" if each.rejected else "no", "yes" if each.rejected_plain else "no",
        )
        for each in test.persons
    ]  # fmt: skip
    head = ("Person", "Items", "Clusters", "Design effect", "Model as near", "Person nearer, less "
            "model nearer", "p", "Model stands in", "By the plain test")  # fmt: skip
    said = [repr(test)[1:-1], *map(sentence, test.warnings)]
    shown = table(head, lines, f"Persons beside {found.model}, ε {test.epsilon:g}")
    return Section("Person by person", join([shown if lines else NOTHING, *map(soft, said)]))


def questions(found: Comparison) -> Section:
    """The verdict question by question, and every number of each, folded."""
    lines = []
    for part in found.parts:
        test = part.test
        near = _said(test.advantage, "advantage")
        kinds = (number(test.winning_rate, "winning_rate"), near, number(test.design_effect))
        lines.append((_called(part), part.verdict.kind, *kinds))
    head = ("Question", "Verdict", "Persons it stands in for", "As near as a person",
            "Design effect")  # fmt: skip
    pieces = [
        paragraph(found.sentence),
        table(head, lines, f"{found.model} beside people", text=2),
        bullets([f"{_called(part)}: {part.verdict.sentence}" for part in found.parts[1:]]),
        *map(soft, found.notes),
    ]
    for part in found.parts:
        rows = [
            (name_of(each.statistic) + _inside(each), each.in_words,
             _said(each.estimate, each.statistic), f"{each.estimate.n_units or 0:,}")
            for each in entries(part)
        ]  # fmt: skip
        shown = table(("Number", "Whose", "Estimate", "Items"), rows, _called(part), text=2)
        pieces.append(fold(f"{_called(part)}, number by number", shown))
    pieces += map(soft, found.told())
    return Section("Question by question", join(pieces))


def soft(said: str) -> Markup:
    return paragraph(said, "soft")


def _called(part: Compared) -> str:
    inside = ", ".join(f"{name} {value}" for name, value in part.group.items())
    return (part.question or "All questions") + (f" ({inside})" if inside else "")


def _inside(each: ComparisonRow) -> str:
    """What else tells a number from others of its name: the label, the group of items."""
    said = ", ".join(f"{name} {value}" for name, value in each.group.items())
    return f" ({said})" if said else ""


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
