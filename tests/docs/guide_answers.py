"""Answers at a server of a guide. Each annotator answers once what they are asked, as the page does (docs/labelling.md)."""
import json
import re
import urllib.request


def ask(url, token, path, body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def answer(url, token, most=400):
    """Answers yes to two of three questions, for all screens that the server assigns."""
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


def answer_all(text):
    """Answers at each annotator's link in this text."""
    for url, token in re.findall(r"(http://[^\s/]+)/#(\d+\.\w+)", text):
        answer(url, token)
