use crate::{Job, Number};

type State = [u32; 5];

/// SHA-1 of so many words, which fit into one block.
fn sha1(message: &[u32]) -> State {
    let mut w = [0u32; 16];
    w[..message.len()].copy_from_slice(message);
    w[message.len()] = 0x8000_0000;
    w[15] = message.len() as u32 * 32;
    const START: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    let [mut a, mut b, mut c, mut d, mut e] = START;
    let mut round = |i: usize, mix: fn(u32, u32, u32) -> u32, constant: u32| {
        if i >= 16 {
            w[i & 15] = (w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15]).rotate_left(1);
        }
        let next = a
            .rotate_left(5)
            .wrapping_add(mix(b, c, d))
            .wrapping_add(e)
            .wrapping_add(constant)
            .wrapping_add(w[i & 15]);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    };
    for i in 0..20 {
        round(i, |b, c, d| (b & c) | (!b & d), 0x5a827999);
    }
    for i in 20..40 {
        round(i, |b, c, d| b ^ c ^ d, 0x6ed9eba1);
    }
    for i in 40..60 {
        round(i, |b, c, d| (b & c) | (b & d) | (c & d), 0x8f1bbcdc);
    }
    for i in 60..80 {
        round(i, |b, c, d| b ^ c ^ d, 0xca62c1d6);
    }
    let end = [a, b, c, d, e];
    std::array::from_fn(|i| START[i].wrapping_add(end[i]))
}

struct Tree {
    is_geometric: bool,
    root_branch: u32,
    depth: u32,
    log_1_minus_p: f64,
    seed: u32,
}

struct Node {
    state: State,
    depth: u32,
}

impl Tree {
    fn t1(depth: u32) -> Tree {
        Tree { is_geometric: true, root_branch: 4, depth, log_1_minus_p: (1.0 - 1.0 / 5.0f64).ln(), seed: 19 }
    }
    fn t3(root_branch: u32) -> Tree {
        Tree { is_geometric: false, root_branch, depth: 0, log_1_minus_p: 0.0, seed: 42 }
    }
    fn root(&self) -> Node {
        Node { state: sha1(&[0, 0, 0, 0, self.seed]), depth: 0 }
    }
    fn children(&self, node: &Node) -> u32 {
        let chance = (node.state[4] & 0x7fff_ffff) as f64 / 2147483648.0;
        if !self.is_geometric {
            return if node.depth == 0 {
                self.root_branch
            } else if chance < 0.124875 {
                8
            } else {
                0
            };
        }
        if node.depth >= self.depth { 0 } else { ((1.0 - chance).ln() / self.log_1_minus_p).floor() as u32 }
    }
    #[inline(never)]
    fn serial_nodes(&self, node: &Node) -> u64 {
        1 + (0..self.children(node)).map(|i| self.serial_nodes(&node.child(i))).sum::<u64>()
    }
    #[inline(never)]
    fn nodes(&self, node: &Node) -> u64 {
        let children = self.children(node);
        1 + if children == 0 { 0 } else { self.subtrees(node, 0, children) }
    }
    /// Halves of the children: the first one beside the others took as long, or longer.
    fn subtrees(&self, parent: &Node, from: u32, to: u32) -> u64 {
        if to - from == 1 {
            return self.nodes(&parent.child(from));
        }
        let middle = from + (to - from) / 2;
        let (left, right) =
            rayon::join(|| self.subtrees(parent, from, middle), || self.subtrees(parent, middle, to));
        left + right
    }
}

impl Node {
    fn child(&self, number: u32) -> Node {
        let s = &self.state;
        Node { state: sha1(&[s[0], s[1], s[2], s[3], s[4], number]), depth: self.depth + 1 }
    }
}

fn serial(tree: Tree) -> u64 {
    tree.serial_nodes(&tree.root())
}

fn parallel(tree: Tree) -> u64 {
    tree.nodes(&tree.root())
}

pub fn make_t1(size: u64) -> Box<dyn Job> {
    Number::new(size, |n| serial(Tree::t1(n as u32)), |n| parallel(Tree::t1(n as u32)))
}

pub fn make_t3(size: u64) -> Box<dyn Job> {
    Number::new(size, |n| serial(Tree::t3(n as u32)), |n| parallel(Tree::t3(n as u32)))
}
