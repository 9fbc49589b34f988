//! The blocks of `rtl/src`, found by their files, and the pages that describe them.

use std::fs;
use std::path::Path;

/// A hardware block.
pub struct Block {
    /// Name of the type.
    pub name: String,
    /// Path from `rtl/src`.
    pub path: String,
    /// What the first line of the file says it does.
    pub purpose: String,
}

/// A page of `docs/blocks`.
pub struct Page {
    /// The heading.
    pub title: String,
    /// Path from `docs/blocks`.
    pub file: String,
    /// Its paragraph `Source: ...`, which names the files of the blocks it describes.
    pub source: String,
}

impl Page {
    /// Whether this is the page of a block.
    pub fn describes(&self, block: &Block) -> bool {
        // A page names the parts of its block by their path from the room.
        let part = block.path.split_once('/').map(|(_, part)| part);
        let named = |path: &str| {
            self.source.contains(&format!("/{path}`")) || self.source.contains(&format!("`{path}`"))
        };
        named(&block.path) || part.is_some_and(named)
    }

    /// Whether the block has this page for itself: the same room, the same name.
    pub fn is_of(&self, block: &Block) -> bool {
        let source = self.file.replace(".md", ".rs");
        // A room may have parts.
        let name = |path: &str| path.rsplit('/').next().map(String::from);
        room(&block.path) == room(&source)
            && name(&block.path) == name(&source)
            && block.name == self.title
    }
}

/// The room of a file: the first folder of its path from `rtl/src` or `docs/blocks`; empty for a file beside the rooms.
pub fn room(path: &str) -> &str {
    path.split_once('/').map_or("", |(room, _)| room)
}

/// All blocks, leaves last, each group by name; the parts of a block follow it.
pub fn all_blocks(root: &Path) -> Vec<Block> {
    let source = root.join("rtl/src");
    let mut blocks = Vec::new();
    add_blocks(&source, "", &mut blocks);
    assert!(!blocks.is_empty(), "no block found in rtl/src");
    blocks.sort_by_key(|block| (block.path.starts_with("leaf/"), block.path.clone()));
    blocks
}

/// All pages of `docs/blocks` and of its rooms, by path.
pub fn all_pages(root: &Path) -> Vec<Page> {
    let folder = root.join("docs/blocks");
    let rooms = names_in(&folder)
        .into_iter()
        .flat_map(|name| match folder.join(&name).is_dir() {
            true => {
                let pages = names_in(&folder.join(&name)).into_iter();
                pages.map(|page| format!("{name}/{page}")).collect()
            }
            false => vec![name],
        });
    let pages = rooms.filter(|name| name.ends_with(".md")).map(|file| {
        let text = read(&folder.join(&file));
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.unwrap_or_else(|| panic!("{file} does not begin with a heading"));
        let source = text
            .split("\n\n")
            .find(|paragraph| paragraph.starts_with("Source: "));
        let source = source.unwrap_or_else(|| panic!("{file} has no paragraph 'Source: ...'"));
        Page {
            title: title.to_string(),
            source: source.to_string(),
            file,
        }
    });
    pages.collect()
}

/// Adds the blocks in a folder and in its folders; `prefix` is the folder's path from `rtl/src`, ending in a slash.
fn add_blocks(folder: &Path, prefix: &str, blocks: &mut Vec<Block>) {
    for name in names_in(folder) {
        let (file, path) = (folder.join(&name), format!("{prefix}{name}"));
        if file.is_dir() {
            add_blocks(&file, &format!("{path}/"), blocks);
            continue;
        }
        let text = read(&file);
        let head = first_paragraph(&text);
        let head = head.strip_prefix('`');
        let Some((name, purpose)) = head.and_then(|head| head.split_once("`: ")) else {
            assert!(
                !text.contains("\n#[block]"),
                "rtl/src/{path} does not begin with //! `Block`: what it does"
            );
            continue;
        };
        // A macro that makes blocks is none.
        if name.ends_with('!') {
            continue;
        }
        blocks.push(Block {
            name: name.to_string(),
            purpose: capitalised(&purpose.replace(['[', ']'], "")),
            path,
        });
    }
}

/// The first paragraph of a source file's documentation, on one line.
pub fn first_paragraph(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
    lines.collect::<Vec<_>>().join(" ")
}

/// Names of the files and folders in a folder, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder").file_name().into_string())
        .map(|name| name.expect("file names are UTF-8"))
        .collect();
    names.sort();
    names
}

/// The text of a file.
pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The text with a capital letter at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
