//! The vectors of the evidence format: keys, notes, the tree and its tiles.

use serde_json::Value;

use super::{is_signature, is_sound, KeyKind, Note, Promise, TreeHead, VerifierKey};
use crate::merkle::{
    consistency_path, inclusion_path, is_consistent, is_included, leaf_hash, node_hash, sha256, tile_path,
    Hash, Subtrees,
};

fn vectors(name: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/vectors/");
    serde_json::from_slice(&std::fs::read(format!("{root}{name}")).unwrap()).unwrap()
}

fn unhex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn hash(value: &Value) -> Hash {
    unhex(value).try_into().unwrap()
}

#[test]
fn signatures_are_verified_strictly() {
    for case in vectors("ed25519.json")["cases"].as_array().unwrap() {
        let key: Result<[u8; 32], _> = unhex(&case["public_key"]).try_into();
        let holds = key.is_ok_and(|key| {
            is_sound(&key) && is_signature(&key, &unhex(&case["signature"]), &unhex(&case["message"]))
        });
        assert_eq!(holds, case["valid"], "{}", case["why"]);
    }
}

#[test]
fn notes_are_read_one_way() {
    let all = vectors("notes.json");
    let log = VerifierKey::read(all["log_key"].as_str().unwrap(), KeyKind::Log).unwrap();
    let witness = VerifierKey::read(all["witness_key"].as_str().unwrap(), KeyKind::Witness).unwrap();
    for case in all["cases"].as_array().unwrap() {
        let note = case["note"].as_str().unwrap().as_bytes();
        let holds = match case["kind"].as_str().unwrap() {
            "checkpoint" => TreeHead::signed(note, &log).is_ok(),
            "promise" => Promise::read(note, &log).is_ok_and(|promise| {
                let says = &case["says"];
                says["deadline"] == promise.deadline && promise.hash[..] == unhex(&says["canonical_hash"])[..]
            }),
            "cosigned" => Note::read(note)
                .and_then(|note| Ok(note.signers(std::slice::from_ref(&witness))?.len()))
                .is_ok_and(|signers| signers == 1),
            _ => continue,
        };
        assert_eq!(holds, case["valid"], "{}: {}", case["kind"], case["why"]);
    }
}

fn path(case: &Value) -> Option<Vec<Hash>> {
    case["path"].as_array().unwrap().iter().map(|each| unhex(each).try_into().ok()).collect()
}

#[test]
fn proofs_of_the_tree() {
    let all = vectors("merkle.json");
    for case in all["inclusion"].as_array().unwrap() {
        let (index, size) = (case["index"].as_u64().unwrap(), case["size"].as_u64().unwrap());
        let holds = path(case).is_some_and(|path| {
            is_included(hash(&case["leaf_hash"]), index, size, &path, &hash(&case["root"]))
        });
        assert_eq!(holds, case["valid"], "{case}");
    }
    for case in all["consistency"].as_array().unwrap() {
        let (old, new) = (case["old_size"].as_u64().unwrap(), case["new_size"].as_u64().unwrap());
        let (old_root, new_root) = (hash(&case["old_root"]), hash(&case["new_root"]));
        let holds = path(case).is_some_and(|path| is_consistent(old, &old_root, new, &new_root, &path));
        assert_eq!(holds, case["valid"], "{case}");
    }
}

struct Tree(Vec<Hash>);

impl Subtrees for Tree {
    type Fault = ();

    fn hash(&mut self, height: u32, index: u64) -> Result<Hash, ()> {
        let (from, to) = ((index << height) as usize, ((index + 1) << height) as usize);
        let mut nodes = self.0[from..to].to_vec();
        while nodes.len() > 1 {
            nodes = nodes.chunks(2).map(|pair| node_hash(&pair[0], &pair[1])).collect();
        }
        Ok(nodes[0])
    }
}

#[test]
fn paths_of_every_tree_up_to_70() {
    let leaf = |n: u64| leaf_hash(&sha256(format!("entry {n}").as_bytes()));
    let roots: Vec<Hash> = vectors("merkle.json")["roots"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|each| each["size"].as_u64().is_some_and(|size| (1..=70).contains(&size)))
        .map(|each| hash(&each["root"]))
        .collect();
    assert!(!roots.is_empty());
    for size in 1..=70_u64 {
        let mut tree = Tree((0..size).map(leaf).collect());
        let root_of = |tree: &mut Tree, size: u64| {
            let path = inclusion_path(0, size, tree).unwrap();
            path.iter().fold(leaf(0), |node, sibling| node_hash(&node, sibling))
        };
        let root = root_of(&mut tree, size);
        for index in 0..size {
            let path = inclusion_path(index, size, &mut tree).unwrap();
            assert!(is_included(leaf(index), index, size, &path, &root), "{index} of {size}");
        }
        for old in 1..size {
            let old_root = root_of(&mut tree, old);
            let path = consistency_path(old, size, &mut tree).unwrap();
            assert!(is_consistent(old, &old_root, size, &root, &path), "{old} to {size}");
            assert!(!is_consistent(old, &root, size, &root, &path), "{old} to {size}: another root");
        }
    }
}

#[test]
fn paths_of_tiles() {
    assert_eq!(tile_path(0, 0, 1), "0/000.p/1");
    assert_eq!(tile_path(0, 1234, 1 << 20), "0/x001/234");
    assert_eq!(tile_path(1, 0, 70_000), "1/000");
    assert_eq!(tile_path(2, 0, 70_000), "2/000.p/1");
}
