"""Draw a tree with Orange's tree viewer as SVG; run by bench/pictures.py in Orange's environment.

    python bench/pictures_orange.py TABLE.csv TARGET LIMITS OUTPUT.svg

LIMITS is JSON: arguments of Orange's TreeLearner. Prints the CPU seconds of drawing.
"""

import json
import os
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def main() -> None:
    """Grow a tree by Orange's own learner, and save what its viewer shows."""
    from AnyQt.QtCore import QRectF
    from AnyQt.QtGui import QPainter
    from AnyQt.QtSvg import QSvgGenerator
    from AnyQt.QtWidgets import QApplication
    from Orange.classification import TreeLearner
    from Orange.data import DiscreteVariable, Domain, Table
    from Orange.widgets.visualize.owtreeviewer import OWTreeGraph

    path, target, limits, output = sys.argv[1:5]
    application = QApplication.instance() or QApplication(sys.argv[:1])
    table = Table.from_file(path)
    variables = [*table.domain.attributes, *table.domain.class_vars]
    goal = next(v for v in variables if v.name == target)
    others = [v for v in variables if v.name != target]
    table = table.transform(Domain(others, goal))
    assert isinstance(goal, DiscreteVariable)
    model = TreeLearner(binarize=False, **json.loads(limits))(table)
    start = time.process_time()
    widget = OWTreeGraph()
    widget.ctree(model)
    application.processEvents()
    area = widget.scene.itemsBoundingRect().adjusted(-10, -10, 10, 10)
    writer = QSvgGenerator()
    writer.setFileName(output)
    writer.setSize(area.size().toSize())
    writer.setViewBox(QRectF(0, 0, area.width(), area.height()))
    painter = QPainter(writer)
    widget.scene.render(painter, QRectF(0, 0, area.width(), area.height()), area)
    painter.end()
    print(json.dumps(time.process_time() - start), flush=True)
    os._exit(0)  # Qt's own shutdown without a display may hang


if __name__ == "__main__":
    main()
