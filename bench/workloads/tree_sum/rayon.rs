use crate::{keep, passes, Job};

/// Nodes lie in one array, each before its subtrees, as in the other languages; they refer to each other by address.
struct Node {
    value: u64,
    left: *const Node,
    right: *const Node,
}

// The tree does not change while it is summed.
unsafe impl Send for Node {}
unsafe impl Sync for Node {}

fn grow(nodes: &mut Vec<Node>, count: u64) -> *const Node {
    if count == 0 {
        return std::ptr::null();
    }
    let at = nodes.len();
    nodes.push(Node { value: at as u64 + 1, left: std::ptr::null(), right: std::ptr::null() });
    let left = grow(nodes, count / 2);
    let right = grow(nodes, count - 1 - count / 2);
    nodes[at].left = left;
    nodes[at].right = right;
    &nodes[at]
}

// The array never moves: it has its full size from the beginning.
unsafe fn left_of(node: &Node) -> Option<&Node> {
    node.left.as_ref()
}
unsafe fn right_of(node: &Node) -> Option<&Node> {
    node.right.as_ref()
}

#[inline(never)]
fn serial_sum(node: &Node) -> u64 {
    let left = keep(unsafe { left_of(node) }.map_or(0, serial_sum));
    let right = keep(unsafe { right_of(node) }.map_or(0, serial_sum));
    node.value + left + right
}

#[inline(never)]
fn sum(node: &Node) -> u64 {
    match unsafe { (left_of(node), right_of(node)) } {
        (Some(left), Some(right)) => {
            let (a, b) = rayon::join(|| sum(left), || sum(right));
            node.value + a + b
        }
        (Some(left), None) => node.value + sum(left),
        _ => node.value,
    }
}

struct Summing {
    nodes: Vec<Node>,
    result: u64,
}

impl Job for Summing {
    fn run(&mut self, is_serial: bool) {
        let root = &self.nodes[0];
        self.result = (0..passes(1_000_000, self.nodes.len() as u64))
            .map(|_| if is_serial { serial_sum(root) } else { sum(root) })
            .sum();
    }
    fn checksum(&self) -> u64 {
        self.result
    }
}

pub fn make(size: u64) -> Box<dyn Job> {
    let mut nodes = Vec::with_capacity(size as usize);
    grow(&mut nodes, size);
    Box::new(Summing { nodes, result: 0 })
}
