#!/usr/bin/env python3
"""Which modules know which: `lint/module_graph.py [--dot] [layer…]`, all layers without a name.

Per layer: its modules, their lines, what each knows, and the largest class. Then the circles, and the arrows in them.
`--dot` prints a graph for Graphviz instead (`lint/module_graph.py --dot runtime | dot -Tsvg`): a box per layer, circles
in red. What a module is, lint/modules.py says.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import layers
import modules
from classes import all_classes, parts
from tree import Tree


def in_order(names):
    """Layers from left to right, as the arrows allow them; others behind."""
    known = list(layers.ALLOWED)
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def largest_classes(tree):
    """layer → (members, what they are)."""
    largest = {}
    for key, file, found in all_classes(tree):
        layer = key.partition("/")[0]
        if layer not in largest or largest[layer][0] < found.members:
            largest[layer] = (found.members, f"{key.partition('/')[2]}, {parts(found)}, {file}:{found.line}")
    return largest


def short(name, layer):
    return name.partition("/")[2] if name.startswith(layer + "/") else name


def print_layer(layer, graph, circles, largest):
    own = sorted(name for name in graph if graph[name].layer == layer)
    inside = sum(target in own for name in own for target in graph[name].arrows)
    outside = sum(len(graph[name].arrows) for name in own) - inside
    known_by = sum(name not in own and target in own for name in graph for target in graph[name].arrows)
    most = max((len(circle) for circle in circles if graph[min(circle)].layer == layer), default=1)
    print(f"{layer}: {len(own)} modules, {sum(graph[name].lines for name in own)} lines, {inside} arrows inside, "
          f"{outside} to other layers, {known_by} from them; largest circle {most}")
    if layer in largest:
        print(f"  largest class: {largest[layer][1]}")
    for name in own:
        module = graph[name]
        known = " ".join(short(target, layer) for target in sorted(module.arrows))
        print(f"  {short(name, layer):28}{len(module.files):3} files{module.lines:6} lines  → {known or '-'}")
    print()


def print_circles(graph, circles):
    for circle in circles:
        print(f"circle of {len(circle)} modules, {sum(graph[name].lines for name in circle)} lines: "
              f"{' '.join(sorted(circle))}")
        for name in sorted(circle):
            for target in sorted(set(graph[name].arrows) & circle):
                places = graph[name].arrows[target]
                where = ", ".join(f"{file}:{line}" for file, line in places)
                print(f"  {name} → {target}: {where}")
        print()


def print_dot(chosen, graph, circles):
    red = {name: circle for circle in circles for name in circle}
    shown = {name for name in graph if graph[name].layer in chosen}
    print("digraph modules {\n  rankdir=RL;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];")
    for layer in chosen:
        print(f"  subgraph \"cluster_{layer}\" {{\n    label=\"{layer}\";")
        for name in sorted(n for n in shown if graph[n].layer == layer):
            color = ", color=red" if name in red else ""
            print(f"    \"{name}\" [label=\"{short(name, layer)}\\n{graph[name].lines}\"{color}];")
        print("  }")
    for name in sorted(shown):
        for target in sorted(set(graph[name].arrows) & shown):
            color = " [color=red]" if name in red and target in red[name] else ""
            print(f"  \"{name}\" -> \"{target}\"{color};")
    print("}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent, help="the tree to read")
    parser.add_argument("--dot", action="store_true", help="print a graph for Graphviz")
    parser.add_argument("layer", nargs="*", help="which layers")
    options = parser.parse_args(arguments)
    tree = Tree(options.root)
    graph = modules.load(tree)
    present = in_order({module.layer for module in graph.values()})
    for layer in options.layer:
        if layer not in present:
            parser.error(f"no layer is called {layer}; there are: {' '.join(present)}")
    chosen = options.layer or present
    circles = [circle for circle in modules.components({name: module.arrows for name, module in graph.items()})
               if {graph[name].layer for name in circle} & set(chosen)]
    if options.dot:
        print_dot(chosen, graph, circles)
        return 0
    largest = largest_classes(tree)
    for layer in chosen:
        print_layer(layer, graph, circles, largest)
    print_circles(graph, circles)
    return 0


if __name__ == "__main__":
    sys.exit(main())
