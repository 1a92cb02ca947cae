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
import os
import subprocess
import sys
import threading

from pyspark import SparkFiles
from pyspark.sql import SparkSession, functions


def arguments():
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
        raise RuntimeError(f"{' '.join(command[:2])} ended with {process.returncode}: {words}")
    # A text in a line may have other characters that end lines elsewhere.
    return [line for line in found.decode("utf-8").split("\n") if line]


def main():
    asked, fold = arguments()
    spark = SparkSession.builder.appName("daybook fold").getOrCreate()
    context = asked.context or os.path.join(asked.cases, "context.ndjson")
    spark.sparkContext.addFile(context)
    if asked.ship:
        spark.sparkContext.addFile(asked.daybook)
    named, shipped = os.path.basename(context), os.path.basename(asked.daybook)

    def program():
        return SparkFiles.get(shipped) if asked.ship else asked.daybook

    def folded(rows):
        command = [program(), "fold", "--context", SparkFiles.get(named), *fold]
        return through(command, (row.value for row in rows))

    def merged(parts):
        parts = list(parts)
        return through([program(), "merge", "--part"], parts) if parts else []

    lines = spark.read.parquet(asked.cases) if asked.format == "parquet" else spark.read.text(asked.cases)
    # The context lies in the same folder; its lines belong to no case.
    lines = lines.where(~functions.input_file_name().endswith("/" + named))
    case = functions.get_json_object("value", "$.fold_case.key")
    place = functions.get_json_object("value", "$.fold_case.position").cast("long")
    keyed = lines.select("value", case.alias("case"), place.alias("place"))
    keyed = keyed.where("case is not null or value rlike '\"fold_case\"'")
    count = asked.partitions or int(spark.conf.get("spark.sql.shuffle.partitions"))
    cases = keyed.repartition(count, "case").sortWithinPartitions("case", "place").select("value")
    parts = cases.rdd.mapPartitions(folded)
    while count > asked.fan_in:
        count = -(-count // asked.fan_in)
        parts = parts.repartition(count).mapPartitions(merged)
    sums = merged(parts.collect())
    spark.stop()
    if asked.output:
        with open(asked.output, "w", encoding="utf-8") as file:
            file.write("\n".join(sums) + "\n")
    else:
        print("\n".join(sums))


if __name__ == "__main__":
    main()
