#!/bin/bash
cd /work/w-best; PYTHONPATH=/work/w-best/src exec /work/main/.venv/bin/python -m pytest -q -p no:cacheprovider "$@"
