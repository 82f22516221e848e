"""Writes the facts that render-chart takes, of a chart and a file of values: chart.py CHART [VALUES]"""

import json
import sys

import yaml


def read(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def merge(base, over):
    if isinstance(base, dict) and isinstance(over, dict):
        return base | {key: merge(base.get(key), value) for key, value in over.items()}
    return over


chart = read(f"{sys.argv[1]}/Chart.yaml")
values = read(f"{sys.argv[1]}/values.yaml")
if len(sys.argv) > 2:
    values = merge(values, read(sys.argv[2]))
facts = {
    "Chart": {"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
    "Values": values,
    "Release": {"Name": "acuse", "Namespace": "mail", "Service": "Helm"},
}
json.dump(facts, sys.stdout)
