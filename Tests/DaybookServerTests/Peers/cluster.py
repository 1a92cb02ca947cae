"""Folds ledgers on a cluster: a standalone master of Apache Spark and two workers on the loopback interface.

    cluster.py DAYBOOK JOBS

JOBS is a file with a list of {"cases": folder, "arguments": [...], "output": file}. Each folder is folded as
scale/spark/daybook_fold.py does it, and its sum written; the first one is folded again while a worker is killed, by
workers that write garbage, from files that were cut, doubled or lost, compressed, and from Parquet. Ends with 1, and
says why, where one of these gives another sum or a wrong number.
"""

import glob
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

import pyspark
from pyspark.sql import SparkSession

SCALE = pathlib.Path(__file__).resolve().parents[3] / "scale" / "spark"
sys.path.insert(0, str(SCALE))
import daybook_fold  # noqa: E402

HOME = os.path.dirname(pyspark.__file__)
PATIENCE = 60


class Process:
    """A part of the cluster, with what it logs."""

    def __init__(self, folder, name, *arguments):
        self.log = os.path.join(folder, name + ".log")
        environment = dict(os.environ, SPARK_HOME=HOME, SPARK_LOCAL_IP="127.0.0.1", SPARK_NO_DAEMONIZE="1")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(HOME, "bin", "spark-class"), *arguments], stdout=log, stderr=log, env=environment,
                start_new_session=True)

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                text = log.read()
            found = re.search(pattern, text)
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit(f"no \"{pattern}\" in {self.log}:\n{text[-4000:]}")

    def kill(self):
        """With all that it started, as if the machine were gone."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.master = Process(
            folder, "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0",
            "--webui-port", "0")
        self.url = self.master.wait_for(r"spark://127\.0\.0\.1:[0-9]+").group()
        self.workers = []
        for _ in range(2):
            self.start_worker()

    def start_worker(self):
        name = f"worker-{len(self.workers)}"
        worker = Process(
            self.folder, name, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--port", "0",
            "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", os.path.join(self.folder, name),
            self.url)
        self.workers.append(worker)
        worker.wait_for("Successfully registered with master")

    def session(self):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        return (
            SparkSession.builder.master(self.url).appName("cluster.py")
            .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.executor.cores", "1").config("spark.executor.memory", "512m")
            .config("spark.pyspark.python", sys.executable).config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "3").config("spark.log.level", "ERROR").getOrCreate())

    def end(self):
        for part in [*self.workers, self.master]:
            part.kill()


wrong = []


def check(what, holds, found=""):
    print(f"{'ok' if holds else 'WRONG'}: {what}", flush=True)
    if not holds:
        wrong.append(f"{what}\n{found}")


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


class Trial:
    """One ledger that is folded again and again."""

    def __init__(self, spark, job, program, folder):
        self.spark, self.job, self.program, self.folder = spark, job, program, folder
        self.context = os.path.join(job["cases"], "context.ndjson")
        self.files = sorted(glob.glob(os.path.join(job["cases"], "cases-*")))
        self.count = 0

    def fold(self, paths=None, program=None, lines=None, partitions=None):
        lines = lines or self.spark.read.text(paths or self.files)
        return daybook_fold.fold(
            self.spark, lines, self.context, program or self.program, self.job["arguments"], partitions)

    def copied(self):
        self.count += 1
        place = os.path.join(self.folder, f"files-{self.count}")
        os.mkdir(place)
        return [shutil.copy(path, place) for path in self.files]

    def expect_failure(self, what, words, *arguments, **named):
        try:
            found = self.fold(*arguments, **named)
        except Exception as error:  # Spark wraps what the worker raised in types of its own.
            check(what, re.search(words, str(error)), str(error)[-3000:])
        else:
            check(what, False, found[:500])

    def merged(self, part):
        """What the whole says to a sum."""
        return subprocess.run(
            [self.program, "merge", "--context", self.context], input=part.encode() + b"\n", capture_output=True)


def misfortunes(cluster, trial, expected):
    # A partition for each core, and some that wait: the killed worker has one of them.
    marks = os.path.join(trial.folder, "marks")
    os.mkdir(marks)
    slow = script(
        trial.folder, "slow",
        f"if [ $1 = fold ]; then : > {marks}/$$; sleep 2; fi\nexec {trial.program} \"$@\"\n")

    def kill():
        end = time.monotonic() + PATIENCE
        while len(os.listdir(marks)) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        cluster.workers[1].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    found = trial.fold(program=slow, partitions=4)
    killer.join()
    check("a worker that was killed while it folded changes nothing", found == expected, found[:500])
    tries = len(os.listdir(marks))
    check("its partition was folded again", tries > 4, f"{tries} folds of 4 partitions")
    cluster.start_worker()

    nonsense = script(
        trial.folder, "nonsense",
        f"if [ $1 = fold ]; then cat > /dev/null; echo nonsense; exit 0; fi\nexec {trial.program} \"$@\"\n")
    trial.expect_failure(
        "a worker that writes garbage fails the job with its line", "line 1: .*nothing that", program=nonsense)
    changed = script(
        trial.folder, "changed",
        f"[ $1 = fold ] || exec {trial.program} \"$@\"\n"
        f"{trial.program} \"$@\" | sed 's/\"events\":[0-9]*/\"events\":7/'\n")
    trial.expect_failure("a worker that writes another number fails the job", "cut off or changed", program=changed)
    ended = script(trial.folder, "ended", f"[ $1 = fold ] && exit 9\nexec {trial.program} \"$@\"\n")
    trial.expect_failure("a program that cannot work fails the job with its status", "ended with 9", program=ended)

    files = trial.copied()
    longest = max(files, key=os.path.getsize)
    whole = open(longest, "rb").read()
    open(longest, "wb").write(whole[:-30])
    # What is left of a line may have no case any more that Spark can read; then the case lacks an event.
    trial.expect_failure(
        "a file that was cut within a line is noticed", "cut off or changed|has [0-9]+ of [0-9]+ events", files)
    lines = whole.splitlines(keepends=True)
    open(longest, "wb").write(b"".join(lines[1:]))
    try:
        refused = trial.merged(trial.fold(files))
        check("a file that lacks a line is noticed", refused.returncode == 3, refused.stdout)
    except Exception as error:
        check("a file that lacks a line is noticed", re.search("has [0-9]+ of [0-9]+ events", str(error)), str(error))
    open(longest, "wb").write(whole + b"{\"data\":{}}\n")
    trial.expect_failure("a line of something else is noticed", "no event with its case", files)
    open(longest, "wb").write(whole)
    trial.expect_failure(
        "a file that is there twice is noticed", "more than once", trial.files + [longest])
    open(longest, "wb").write(b"")
    refused = trial.merged(trial.fold(files))
    check("a file that lost everything is noticed", refused.returncode == 3 and b"some are missing" in refused.stderr,
          refused.stderr)


def other_forms(trial, expected):
    packed = []
    for path in trial.copied():
        with open(path, "rb") as plain, gzip.open(path + ".gz", "wb") as file:
            shutil.copyfileobj(plain, file)
        packed.append(path + ".gz")
    check("compressed files give the same", trial.fold(packed) == expected)
    place = os.path.join(trial.folder, "parquet")
    trial.spark.read.text(trial.files).repartition(5).write.parquet(place)
    check("Parquet gives the same", trial.fold(lines=trial.spark.read.parquet(place)) == expected)
    check("many partitions and a tree of merges give the same",
          daybook_fold.fold(
              trial.spark, trial.spark.read.text(trial.files), trial.context, trial.program,
              trial.job["arguments"], partitions=9, fan_in=2, ship=True) == expected)


def main():
    program, jobs = os.path.abspath(sys.argv[1]), json.load(open(sys.argv[2], encoding="utf-8"))
    if shutil.which("java") is None:
        raise SystemExit("the extended tier needs Java (Debian: default-jre-headless)")
    with tempfile.TemporaryDirectory(prefix="daybook-") as folder:
        cluster = Cluster(folder)
        try:
            spark = cluster.session()
            sums = []
            for job in jobs:
                lines = spark.read.text(sorted(glob.glob(os.path.join(job["cases"], "cases-*"))))
                context = os.path.join(job["cases"], "context.ndjson")
                sums.append(daybook_fold.fold(spark, lines, context, program, job["arguments"]))
                with open(job["output"], "w", encoding="utf-8") as file:
                    file.write(sums[-1] + "\n")
                print(f"folded {job['cases']}", flush=True)
            trial = Trial(spark, jobs[0], program, folder)
            other_forms(trial, sums[0])
            misfortunes(cluster, trial, sums[0])
            spark.stop()
        finally:
            cluster.end()
    if wrong:
        raise SystemExit("\n\n".join(wrong))


if __name__ == "__main__":
    main()
