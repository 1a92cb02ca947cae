"""Folds a ledger on Apache Spark: the cases of `daybook export --partitions` go through `daybook fold`.

    spark-submit daybook_fold.py --cases FOLDER [--context FILE] [--daybook PROGRAM] [--partitions N]
                                 [--fan-in N] [--output FILE] [-- ARGUMENTS OF FOLD]

FOLDER has lines of events with their cases, as text (also compressed, as Spark reads it) or as Parquet with a column
`value`; any layout and order will do, Spark brings the events of a case together. The context is the FOLDER's own
unless another is named. Behind `--` stands what `daybook fold` takes: names of metrics, --all, --kpi, --currency EUR.

The program writes one line, the sum of all parts, which `daybook merge --context FILE` shows as the whole. A fold that
fails ends the job with what it says; a worker that dies is replaced by Spark, and its partition folded again.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from pyspark import SparkFiles, TaskContext
from pyspark.sql import SparkSession, functions


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", required=True, help="folder or pattern of files, local or of a cluster's store")
    parser.add_argument("--context", help="a local file; default: context.ndjson in the folder of the cases")
    parser.add_argument("--daybook", default="daybook", help="the program, as each executor finds it")
    parser.add_argument("--ship", action="store_true", help="send the program to the executors; it is a local file")
    parser.add_argument("--format", choices=["text", "parquet"], default="text")
    parser.add_argument("--partitions", type=int, help="of the shuffle; default: spark.sql.shuffle.partitions")
    parser.add_argument("--fan-in", type=int, default=32, help="parts that one merge adds up")
    parser.add_argument("--output", help="a local file for the sum; default: the standard output")
    own, fold = sys.argv[1:], []
    if "--" in own:
        place = own.index("--")
        own, fold = own[:place], own[place + 1:]
    return parser.parse_args(own), fold


def through(command, lines):
    """What a program makes of some lines.

    The lines are fed by a thread, so that neither side waits for the other's full pipe; what the program says on its
    standard error is kept for the case that it fails.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, failed = [], []

    def feed():
        try:
            for line in lines:
                process.stdin.write(line.encode("utf-8") + b"\n")
            process.stdin.close()
        except BrokenPipeError:
            pass  # It ended before the end of its input, and its exit code tells why.
        except BaseException as error:
            failed.append(error)
            process.kill()

    threads = [threading.Thread(target=feed), threading.Thread(target=lambda: said.append(process.stderr.read()))]
    for thread in threads:
        thread.start()
    found = process.stdout.read()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    if process.wait() != 0:
        words = b"".join(said).decode("utf-8", "replace").strip()
        place = TaskContext.get()
        place = f", in partition {place.partitionId()}" if place else ""
        raise RuntimeError(f"{' '.join(command[:2])} ended with {process.returncode}{place}: {words}")
    # A text in a line may have other characters that end lines elsewhere.
    return [line for line in found.decode("utf-8").split("\n") if line]


def named_by_content(program):
    """A copy with its digest as its name: in one session Spark keeps the first file that it was given of a name."""
    with open(program, "rb") as file:
        name = "daybook-" + hashlib.sha256(file.read()).hexdigest()[:16]
    path = os.path.join(tempfile.gettempdir(), name)
    if not os.path.exists(path):
        shutil.copy(program, path + ".part")
        os.replace(path + ".part", path)
    return path


def with_cases(lines, context_name):
    """Lines with their case and their place, so that Spark can bring the events of a case together.

    A line whose case cannot be read goes with the others that have none, and a fold refuses it.
    """
    # The context may lie in the same folder.
    lines = lines.where(~functions.input_file_name().endswith("/" + context_name))
    case = functions.get_json_object("value", "$.case.key")
    place = functions.get_json_object("value", "$.case.position").cast("long")
    return lines.select("value", case.alias("case"), place.alias("place"))


def fold(spark, lines, context, program, arguments=(), partitions=None, fan_in=32, ship=False):
    """What the cases of some lines add up to: one line, or "" where there is no line at all.

    lines      a DataFrame with a column `value`, as text or Parquet has them
    context    a local file
    program    the path of daybook on every executor; with `ship` a local file that is sent there
    arguments  what `daybook fold` is told besides
    fan_in     how many parts one merge adds up, at least 2
    """
    if fan_in < 2:
        raise ValueError("a merge adds up two parts or more: --fan-in 2")
    with open(context, "rb") as file:
        shared = spark.sparkContext.broadcast(file.read())
    if ship:
        program = named_by_content(program)
        spark.sparkContext.addFile(program)
    if __name__ != "__main__":
        spark.sparkContext.addPyFile(__file__)
    shipped = os.path.basename(program)

    def found():
        return SparkFiles.get(shipped) if ship else program

    def folded(rows):
        with tempfile.NamedTemporaryFile(prefix="daybook-", suffix=".ndjson") as file:
            file.write(shared.value)
            file.flush()
            return through([found(), "fold", "--context", file.name, *arguments], (row.value for row in rows))

    def merged(parts):
        parts = list(parts)
        return through([found(), "merge", "--part"], parts) if parts else []

    count = partitions or int(spark.conf.get("spark.sql.shuffle.partitions"))
    cases = with_cases(lines, os.path.basename(context)).repartition(count, "case")
    parts = cases.sortWithinPartitions("case", "place").select("value").rdd.mapPartitions(folded)
    while count > 1:
        count = -(-count // fan_in)
        parts = parts.repartition(count).mapPartitions(merged)
    # With one partition from the beginning there is one part, and nothing that would look at it.
    found = parts.mapPartitions(merged).collect()
    shared.unpersist()
    return "\n".join(found)


def main():
    asked, arguments = options()
    spark = SparkSession.builder.appName("daybook fold").getOrCreate()
    context = asked.context or os.path.join(asked.cases, "context.ndjson")
    lines = spark.read.parquet(asked.cases) if asked.format == "parquet" else spark.read.text(asked.cases)
    found = fold(
        spark, lines, context, asked.daybook, arguments, asked.partitions, asked.fan_in, asked.ship)
    spark.stop()
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:
            file.write(found + "\n")
    else:
        print(found)


if __name__ == "__main__":
    main()
