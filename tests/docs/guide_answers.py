"""A server of a guide: each annotator answers what they get once, as the page would (docs/labelling.md), then it is interrupted."""
import json
import re
import signal
import subprocess
import time
import urllib.request

LIMIT = 60  # seconds until a server has printed its links


def ask(url, token, path, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def answer(url, token, most=400):
    """Says yes to two of three questions, of all screens that the server gives out."""
    given, asked = [], 0
    while asked < most:
        work = ask(url, token, "work", {"given": given, "holding": [], "wanted": 4})
        refused = [one["message"] for one in work["taken"] if one["state"] == "refused"]
        if refused:
            raise RuntimeError(f"the server refused an answer: {refused[0]}")
        if not work["screens"]:
            return
        given = []
        for screen in work["screens"]:
            answers = [{"question": cell["question"], "answer": "no" if (asked + i) % 3 == 2 else "yes"}
                       for i, cell in enumerate(screen["cells"])]
            given.append({"screen": screen["screen"], "key": f"answer-{asked:06}", "answers": answers})
            asked += len(answers)


def serve(command, folder, environment):
    """(status, what it said) of a server that had its answers and was interrupted."""
    out = folder / "served.txt"
    with open(out, "w") as file:
        server = subprocess.Popen(["bash", "-c", f"exec {command} --port 0"], cwd=folder, env=environment, stdout=file,
                                  stderr=subprocess.PIPE, text=True)
    problem = ""
    try:
        end = time.monotonic() + LIMIT
        while "http://" not in out.read_text() and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        if "http://" not in out.read_text():
            problem = "\nit printed no link"
        time.sleep(0.05)  # the other links
        for url, token in re.findall(r"(http://[^\s/]+)/#(\d+\.\w+)", out.read_text()):
            answer(url, token)
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
    return (1 if problem else status), out.read_text() + said + problem
