"""Servers that a page starts. A server prints its links, is used, and must exit after an interrupt."""
import re
import signal
import subprocess
import time

LIMIT = 60  # maximum time in seconds until a server has printed its links
LINK = re.compile(r"http://[^\s/]+/\S*(?=\n)")  # an incomplete line has no link


def links_of(command):
    """The number of links that `assay serve` prints: one for each annotator, and one for the organiser or the report."""
    return len(re.findall(r"--annotator[ =]", command)) + 1


def serve(command, folder, environment, use=lambda text: None):
    """Returns (stdout, stderr, status) of a server here. `use` gets its links as text, and raises an error if they do not work."""
    out = folder / "served.txt"
    with open(out, "w") as file:
        server = subprocess.Popen(["bash", "-c", f"exec {command} --port 0"], cwd=folder, env=environment, stdout=file,
                                  stderr=subprocess.PIPE, text=True)
    problem, wanted = "", links_of(command)
    try:
        end = time.monotonic() + LIMIT
        while len(LINK.findall(out.read_text())) < wanted and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        found = len(LINK.findall(out.read_text()))
        if found < wanted:
            problem = f"\nit printed {found} of {wanted} links"
        else:
            use(out.read_text())
    except (OSError, RuntimeError, KeyError) as error:
        problem = f"\n{error}"
    server.send_signal(signal.SIGINT)
    try:
        _, said = server.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        server.kill()
        _, said = server.communicate()
        problem += "\nit did not end after an interrupt"
    status = 0 if server.returncode in (0, 130) else server.returncode
    return out.read_text(), said + problem, 1 if problem else status
