"""An engine's table (Ibis) gives what the same answers give as a frame, to 1e-10."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import numpy as np
import pandas as pd
import pytest

from raterbook.analysis import (
    Interval,
    Ratings,
    agreement,
    alpha,
    difference,
    gwet,
    icc,
    influence,
    kappa,
    mean,
    proportion,
    severity,
    weighted_mean,
)
from raterbook.analysis.averages.means import median, sd
from raterbook.analysis.coefficients.tables import pairwise
from raterbook.analysis.older import alpha_by_category
from raterbook.analysis.ratings import engine

ibis = pytest.importorskip("ibis")

# Ibis asks DuckDB and pandas for what they call deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*infer_string:DeprecationWarning"),
]

SCALE = [1, 2, 3, 4, 5]
DRAWN = Interval("bootstrap", draws=200, seed=3)
STATISTICS = {
    "alpha nominal": alpha,
    "alpha ordinal": lambda r, **k: alpha(r, "ordinal", **k),
    "alpha interval": lambda r, **k: alpha(r, "interval", **k),
    "kappa of pairs": kappa,
    "kappa of Fleiss": lambda r, **k: kappa(r, "fleiss", **k),
    "kappa of Conger": lambda r, **k: kappa(r, "conger", **k),
    "AC2": lambda r, **k: gwet(r, "quadratic", **k),
    "within one": lambda r, **k: agreement(r, 1, **k),
    "ICC": icc,
    "mean": mean,
    "weighted mean": weighted_mean,
    "proportion": lambda r, **k: proportion(r, [4, 5], of=[1, 2, 4, 5], **k),
    "proportion of none": lambda r, **k: proportion(r, [], **k),
    "alpha of a value": lambda r, **k: alpha_by_category(r, **k)[4],
    "standard deviation": sd,
    "median": median,
}


def answers(units: int = 120, seed: int = 0) -> pd.DataFrame:
    """Four raters, a fifth missing, units by name in chunks of seven, some confidences."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, (units, 1))
    table = np.clip(truth + rng.integers(-1, 2, (units, 4)), 1, 5).astype(float)
    table[rng.random(table.shape) < 0.2] = np.nan
    sure = rng.integers(0, 101, units * 4).astype(float)
    sure[::11] = np.nan
    frame = pd.DataFrame(
        {
            "unit": np.repeat([f"unit {i}" for i in range(units)], 4),
            "rater": np.tile(["ana", "ben", "cem", "dee"], units),
            "value": table.ravel(),
            "confidence": sure,
            "chunk": np.repeat([f"chunk {i // 7}" for i in range(units)], 4),
        }
    )
    frame.loc[frame["chunk"] == "chunk 3", "chunk"] = None  # these units stand for themselves
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


@pytest.fixture(scope="module")
def duckdb():
    return ibis.duckdb.connect()


@pytest.fixture
def held(duckdb, tmp_path):
    """A frame as a table of DuckDB's."""

    def hold(frame: pd.DataFrame):
        file = tmp_path / f"{len(list(tmp_path.iterdir()))}.parquet"
        frame.to_parquet(file)
        return duckdb.read_parquet(file)

    return hold


def differing(one, other) -> list[str]:
    """The fields in which two estimates differ by more than 1e-10."""
    one, other = ({k: v for k, v in asdict(each).items() if k != "beside"} for each in (one, other))

    def same(a, b) -> bool:
        return abs(a - b) <= 1e-10 if isinstance(a, float) and isinstance(b, float) else a == b

    return [name for name in one if not same(one[name], other[name])]


def test_an_archive_of_one_whole_number_throughout_is_counted(held):
    frame = pd.DataFrame({"unit": list("aabb"), "rater": list("xyxy"), "value": [3] * 4})
    assert mean(held(frame), interval=None).value == 3
    assert agreement(held(frame), scale=[3], interval=None).value == 1


@pytest.mark.parametrize("clusters", [None, "chunk"])
@pytest.mark.parametrize("interval", ["jackknife", DRAWN, "bca", "analytic", None], ids=str)
def test_every_statistic_is_the_same_from_an_engine(held, clusters, interval):
    frame = answers()
    read = Ratings(frame, SCALE, clusters), Ratings(held(frame), SCALE, clusters)
    found = {
        name: differing(*(statistic(each, interval=interval) for each in read))
        for name, statistic in STATISTICS.items()
    }
    assert {name: fields for name, fields in found.items() if fields} == {}


@pytest.mark.parametrize("interval", ["jackknife", DRAWN], ids=str)
def test_units_of_a_cluster_that_are_alike_count_as_often_as_there_are(held, interval):
    frame = answers(400)
    frame = frame[frame["rater"].isin(["ana", "ben"])]
    frame["value"] = frame["value"].clip(lower=4)
    frame["chunk"] = "chunk " + frame["unit"].str[-1]  # ten clusters of forty
    read = Ratings(frame, SCALE, "chunk"), Ratings(held(frame), SCALE, "chunk")
    assert len(read[1].codes) < read[1].n_units / 2
    found = {
        name: differing(*(statistic(each, interval=interval) for each in read))
        for name, statistic in STATISTICS.items()
    }
    assert {name: fields for name, fields in found.items() if fields} == {}


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_more_values_than_a_table_takes_are_the_same_from_an_engine(held, level):
    frame = answers()
    frame["value"] = frame["value"] * 40 + np.arange(len(frame)) % 37
    one, other = alpha(frame, level), alpha(held(frame), level)
    assert differing(one, other) == []
    without = [influence(each, level)["estimate"] for each in (frame, held(frame))]
    assert without[0].tolist() == pytest.approx(without[1].tolist())


def test_where_every_answer_has_a_confidence_nothing_is_said_of_those_without(held):
    frame = answers().fillna({"confidence": 50.0})
    one, other = weighted_mean(frame), weighted_mean(held(frame))
    assert differing(one, other) == []
    assert "answers_without_confidence" not in other.warnings


def test_a_negative_confidence_is_refused_with_its_value(held):
    frame = answers()
    frame.loc[frame["value"].first_valid_index(), "confidence"] = -5
    with pytest.raises(ValueError, match="confidence -5 is negative: give 0 to 100"):
        weighted_mean(held(frame))


def test_more_units_with_a_confidence_than_can_be_read_need_clusters(held, monkeypatch):
    frame = answers()
    many = frame[["value", "confidence"]].notna().all(axis=1).sum()
    monkeypatch.setattr(engine, "IN_MEMORY", many - 1)
    table = held(frame)
    with pytest.raises(
        ValueError, match=f"^{many} answers with a confidence, .* column of clusters"
    ):
        weighted_mean(table)
    assert weighted_mean(Ratings(table, cluster="chunk")).value is not None
    monkeypatch.setattr(engine, "IN_MEMORY", many)
    assert weighted_mean(table).value is not None


def test_another_answer_shows(held):
    frame = answers()
    other = frame.assign(value=frame["value"].where(frame.index != 5, 1.0))
    assert differing(alpha(frame), alpha(held(other)))


def test_alike_units_count_together_as_they_do_apart(held, monkeypatch):
    frame = answers()
    apart = Ratings(frame, SCALE)
    monkeypatch.setattr("raterbook.analysis.averages.means.DRAWN_APART", 0)
    together = Ratings(held(frame), SCALE)
    assert len(together.codes) < apart.patterns.n_units == together.n_units
    assert differing(proportion(apart, [4, 5]), proportion(together, [4, 5])) == []


@pytest.mark.parametrize("statistic", ["mean", "proportion"])
def test_as_many_units_as_are_drawn_one_by_one_are_and_one_more_together(
    held, monkeypatch, statistic
):
    frame = answers()
    apart, together = Ratings(frame, SCALE), Ratings(held(frame), SCALE)
    ends = []
    for most in (apart.n_units, apart.n_units - 1):
        for module in ("means", "proportions"):
            monkeypatch.setattr(f"raterbook.analysis.averages.{module}.DRAWN_APART", most)
        ends.append(STATISTICS[statistic](together, interval=DRAWN).low)
    one_by_one = STATISTICS[statistic](apart, interval=DRAWN).low
    assert [abs(low - one_by_one) <= 1e-10 for low in ends] == [True, False]


def test_raters_by_twos_are_the_same(held):
    frame = answers()
    first, second = pairwise(frame), pairwise(held(frame))
    pd.testing.assert_frame_equal(first, second, check_names=False)


def test_raters_named_are_counted_alone_and_in_their_order(held):
    frame = answers()
    own = {"scale": SCALE, "raters": ["dee", "ana"]}
    assert differing(kappa(Ratings(frame, **own)), kappa(Ratings(held(frame), **own))) == []
    with pytest.raises(ValueError, match="no rater 'eva' here: the raters are ana, ben"):
        Ratings(held(frame), raters=["eva"])


@pytest.mark.parametrize(
    "values",
    [["no", "yes", "", None, "nan"], [True, False, None, True, True], [10, 30, 20, None, 10]],
    ids=["labels", "truth", "gaps"],
)
def test_values_of_any_kind_are_read_as_in_a_frame(held, values):
    frame = answers().drop(columns="confidence")
    place = frame["value"].fillna(1).astype(int) - 1
    frame["value"] = pd.Series([values[i] for i in place], dtype="object").convert_dtypes()
    assert differing(alpha(frame.astype({"value": object})), alpha(held(frame))) == []


@pytest.mark.parametrize("clusters", [None, "chunk"])
def test_a_table_without_answers_has_reasons_as_a_frame_has(held, clusters):
    nothing = answers().assign(value=np.nan)
    for frame in (nothing, nothing[:0]):
        read = Ratings(frame, SCALE, clusters), Ratings(held(frame), SCALE, clusters)
        for statistic in (alpha, mean, kappa, proportion_of_high):
            one, other = (statistic(each) for each in read)
            assert (one.value, one.reason) == (other.value, other.reason)


def proportion_of_high(ratings):
    return proportion(ratings, [4, 5])


def test_more_raters_than_a_number_has_bits_are_read_one_by_one(held):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(200), 3),
            "rater": (np.repeat(np.arange(200), 3) + np.tile([0, 17, 41], 200)) % 100,
            "value": rng.integers(1, 4, 600),
        }
    )
    assert differing(alpha(frame, "ordinal"), alpha(held(frame), "ordinal")) == []


@pytest.mark.parametrize("cluster", [None, "chunk"])
def test_units_that_are_alike_stand_in_the_order_of_clusters_and_codes(held, cluster):
    """Whichever row came first; thirty raters are more than one whole number spells."""
    table = np.random.default_rng(4).integers(1, 6, (60, 30))
    table[:, 20:] = table[0, 20:]  # the last raters tell nobody apart
    frame = pd.DataFrame(table).melt(ignore_index=False, var_name="rater").reset_index()
    frame = frame.rename(columns={"index": "unit"}).assign(chunk=frame["index"] // 20)
    read = Ratings(held(frame.sample(frac=1, random_state=3)), SCALE, cluster)
    rows = read.codes.astype(int).tolist()
    if cluster:
        rows = [[int(of), *row] for of, row in zip(read.clusters, rows)]
    assert rows == sorted(rows)


def test_more_raters_and_answers_than_can_be_read_are_refused(held, monkeypatch):
    table, given = held(answers()), answers()["value"].count()
    monkeypatch.setattr(engine, "MOST_RATERS", 3)
    monkeypatch.setattr(engine, "IN_MEMORY", given)
    assert alpha(table).n_raters == 4
    monkeypatch.setattr(engine, "IN_MEMORY", given - 1)
    with pytest.raises(ValueError, match=r"4 raters gave .* name at most 3 raters with raters="):
        alpha(table)


@pytest.mark.parametrize(
    ("limit", "of", "said"),
    [
        ("MOST_VALUES", lambda counted, seen: seen, "different answers of raters"),
        ("MOST_PATTERNS", lambda counted, seen: counted, "different patterns of ratings"),
        ("MOST_CELLS", lambda counted, seen: 4 * counted, "different patterns of ratings"),
        ("MOST_RATERS", lambda counted, seen: 4, "name at most 3 raters with raters="),
    ],
)
def test_as_much_as_can_be_fetched_is_read_and_one_more_refused(held, monkeypatch, limit, of, said):
    frame = answers()
    table = held(frame)
    counted = len(Ratings(table, SCALE).codes)
    most = of(counted, len(frame.drop_duplicates(["rater", "value"])))
    monkeypatch.setattr(engine, "IN_MEMORY", 100)
    monkeypatch.setattr(engine, limit, most)
    assert len(Ratings(table, SCALE).codes) == counted
    monkeypatch.setattr(engine, limit, most - 1)
    with pytest.raises(ValueError, match=said):
        Ratings(table, SCALE)


@pytest.mark.parametrize(("many", "said"), [(3, ""), (4, " and 1 more"), (5, " and 2 more")])
def test_of_those_who_answered_twice_three_are_named(held, many, said):
    frame = answers()
    again = pd.concat([frame, frame[frame["value"].notna()][:many]])
    with pytest.raises(
        ValueError, match=rf"answered twice: (\w+ on [\w ]+(, )?){{3}}{said}\. Remove"
    ):
        Ratings(held(again), SCALE)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: pd.concat([f, f[f["value"].notna()][:1]]), "answered twice: .* on unit "),
        (lambda f: f.assign(rater=f["rater"].where(f.index > 1)), "2 rows have no rater"),
        (lambda f: f.assign(unit=f["unit"].where(f.index > 0)), "1 rows have no unit"),
        (lambda f: f.rename(columns={"rater": "who"}), "no column 'rater'"),
        (lambda f: f.assign(value=9), "rating 9 is not on the scale"),
        (lambda f: f.assign(chunk=f["rater"]), r"stands in two clusters, '(\w+)' and '(?!\1)"),
    ],
    ids=["twice", "nobody", "nothing", "name", "scale", "clusters"],
)
def test_a_wrong_table_is_refused_in_words(held, change, said):
    with pytest.raises(ValueError, match=said):
        Ratings(held(change(answers())), SCALE, "chunk")


def test_what_needs_each_unit_by_its_name_says_so(held):
    table = held(answers())
    with pytest.raises(ValueError, match="take both sides out of the engine's table"):
        difference(table, table)
    pd.testing.assert_frame_equal(severity(table), severity(answers()))


def test_ibis_is_not_imported_for_a_frame():
    code = (
        "import sys; from raterbook.analysis import alpha; alpha([[1, 2], [2, 2], [1, 1]]);"
        "sys.exit('ibis' in sys.modules or 'duckdb' in sys.modules)"
    )
    assert subprocess.run([os.sys.executable, "-c", code], check=False).returncode == 0


# PostgreSQL: a server of its own, which ends with the test.


@pytest.fixture(scope="module")
def postgres():
    pgserver = pytest.importorskip("pgserver")
    # Beside pytest's own folder, which another run may close to the server's user.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = pgserver.get_server(folder)
        yield server.get_uri()
        server.cleanup()


@pytest.mark.parametrize("clusters", [None, "chunk"])
def test_postgresql_counts_the_same(postgres, clusters):
    psycopg = pytest.importorskip("psycopg")
    frame = answers()
    with psycopg.connect(postgres) as connection:
        connection.execute("DROP TABLE IF EXISTS answers")
        connection.execute(
            "CREATE TABLE answers (unit text, rater text, value numeric, confidence float8, "
            "chunk text)"
        )
        with connection.cursor().copy("COPY answers FROM STDIN") as copy:
            for row in frame.itertuples(index=False):
                copy.write_row([None if pd.isna(cell) else cell for cell in row])
    host = parse_qs(urlparse(postgres).query)["host"][0]
    connection = ibis.postgres.connect(host=host, user="postgres", database="postgres")
    read = (
        Ratings(frame, SCALE, clusters),
        Ratings(connection.table("answers"), SCALE, clusters),
    )
    found = {
        name: differing(*(statistic(each, interval=DRAWN) for each in read))
        for name, statistic in STATISTICS.items()
    }
    connection.disconnect()
    assert {name: fields for name, fields in found.items() if fields} == {}


# Spark: RATERBOOK_SPARK names the folder that pyspark is installed into; pyspark is not in the
# lock, because Ibis takes no newer one than 4.0 and it is as large as everything else.


@pytest.fixture
def spark(monkeypatch):
    """A cluster on this machine: two executors, each a process of its own."""
    folder = os.environ.get("RATERBOOK_SPARK")
    if folder is None:
        pytest.skip("RATERBOOK_SPARK names no folder with pyspark 4.0")
    assert shutil.which("java"), "RATERBOOK_SPARK is set, and there is no java"
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("SPARK_HOME", str(Path(folder) / "pyspark"))
    monkeypatch.setenv("PYTHONPATH", folder)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    interrupted = signal.getsignal(signal.SIGINT)  # Spark takes Ctrl+C for itself, and keeps it
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.files.maxPartitionBytes", "1m")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    yield session
    session.stop()
    signal.signal(signal.SIGINT, interrupted)


def executors(session) -> list[int]:
    """The processes of Spark's executors that this session started."""
    app = session.sparkContext.applicationId.encode()
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = file.read_bytes().split(b"\0")
            if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and app in words:
                found.append(int(file.parent.name))
    return found


@pytest.mark.filterwarnings("ignore")
def test_spark_counts_the_same_although_an_executor_dies_midway(spark, tmp_path):
    frame = answers(units=5_000)
    for part, rows in frame.groupby(frame.index % 12):
        rows.to_parquet(tmp_path / f"part-{part}.parquet")
    table = ibis.pyspark.connect(spark).read_parquet(str(tmp_path))
    killed: list[int] = []

    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not killed:
            stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
            alive = executors(spark)
            if alive and any(each and 0 < each.numCompletedTasks < 11 for each in stages):
                os.kill(alive[0], signal.SIGKILL)
                killed.append(alive[0])
            time.sleep(0.005)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    read = Ratings(frame, SCALE, "chunk"), Ratings(table, SCALE, "chunk")
    found = {
        name: differing(*(statistic(each) for each in read))
        for name, statistic in STATISTICS.items()
    }
    thread.join(10)
    assert killed
    assert {name: fields for name, fields in found.items() if fields} == {}
