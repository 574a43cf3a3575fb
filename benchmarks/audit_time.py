"""Wall time and peak memory of the audit, against the limits set for two cores.

    python benchmarks/audit_time.py [--runs 3] [--only built-ins]

CPU seconds, of all processes together, tell what a busy machine hides in the wall time. Memory is
that of the command and everything it starts, worker processes included: the sum of the resident
sets, read from /proc every 50 ms. Pages that processes share count once for each, so the sum is an
upper bound. The set-up must be done (`make audit` once): it is not what is measured.
"""

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = os.sysconf("SC_PAGE_SIZE")
EVERY = 0.05
MIB = 2**20

MEMORY = 1024  # MiB allowed
# name: (command, wall seconds allowed)
MEASURED = {
    "built-ins": ([sys.executable, "-m", "draftproof", "audit", "builtin"], 60),
    "all": (["make", "--no-print-directory", "audit"], 240),
}


def parents():
    """The parent of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            found[int(entry.name)] = int(after_name[1])
    return found


def family(root):
    """``root`` and every process below it."""
    above = parents()
    members, size = {root}, 0
    while size != len(members):
        size = len(members)
        members |= {child for child, parent in above.items() if parent in members}
    return members


def resident(pid):
    """Bytes of memory held by ``pid``; 0 when it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def cpu_seconds():
    """What all children that have ended used, their own children included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(command):
    """Wall seconds, CPU seconds, bytes at the peak and the exit code of one run."""
    start, cpu, peak = time.perf_counter(), cpu_seconds(), 0
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        while child.poll() is None:
            peak = max(peak, sum(resident(pid) for pid in family(child.pid)))
            time.sleep(EVERY)
        return time.perf_counter() - start, cpu_seconds() - cpu, peak, child.returncode


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--only", choices=MEASURED, help="measure this one")
    chosen = options.parse_args()
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    print(
        f"{cores} cores, {platform.machine()} {platform.system()}, "
        f"Python {platform.python_version()}, load before {load:.1f}, {chosen.runs} runs"
    )
    print("| what | wall s | all runs | CPU s | limit s | wall of limit | peak MiB | of 1 GiB |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    within = True
    for name, (command, seconds) in MEASURED.items():
        if chosen.only not in (None, name):
            continue
        runs = [measure(command) for _ in range(chosen.runs)]
        if failed := [code for *_, code in runs if code != 0]:
            sys.exit(f"{name}: exit code {failed[0]}; run it by hand: {' '.join(command)}")
        wall = statistics.median(each for each, *_ in runs)
        cpu = statistics.median(each for _, each, *_ in runs)
        peak = max(each for *_, each, _ in runs) / MIB
        within = within and wall <= seconds and peak <= MEMORY
        every = ", ".join(f"{each:.1f}" for each, *_ in runs)
        print(
            f"| {name} | {wall:.1f} | {every} | {cpu:.1f} | {seconds} | {wall / seconds:.0%} | "
            f"{peak:.0f} | {peak / MEMORY:.0%} |",
            flush=True,
        )
    sys.exit(0 if within else "over a limit")


if __name__ == "__main__":
    main()
