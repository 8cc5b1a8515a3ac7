//! The memory that control groups (cgroups) leave to this process. Containers, services
//! and batch systems are limited so, and Linux ends what takes more by SIGKILL, without a
//! word. `/proc/meminfo` tells of the whole machine, also within a container.
//!
//! The files: `cgroup-v1/memory` and `cgroup-v2` in the kernel's administrator guide.

use std::fs;
use std::path::Path;

/// The limit that leaves least, of a group or of one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Bytes that its processes may take.
    pub limit: u64,
    /// Bytes of them that nobody has taken.
    pub left: u64,
}

/// Where one version of the interface says what.
struct Interface {
    /// Its name in `/proc/self/cgroup`.
    controller: &'static str,
    folder: &'static str,
    limit: &'static str,
    taken: &'static str,
    /// Of what is taken: copies of files, which are given up for anybody in need.
    idle: &'static str,
}

const INTERFACES: [Interface; 2] = [
    Interface {
        controller: "",
        folder: "sys/fs/cgroup",
        limit: "memory.max",
        taken: "memory.current",
        idle: "inactive_file ",
    },
    Interface {
        controller: "memory",
        folder: "sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        taken: "memory.usage_in_bytes",
        idle: "total_inactive_file ",
    },
];

/// The tightest group of this process; `None` where none is limited.
pub fn tightest() -> Option<Group> {
    tightest_below(Path::new("/"))
}

fn tightest_below(root: &Path) -> Option<Group> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let groups = groups.lines().filter_map(|line| {
        // A number, the controllers, the group: "4:cpu,memory:/docker/4f1c".
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let is_named = |one: &&Interface| controllers.split(',').any(|name| name == one.controller);
        let interface = INTERFACES.iter().find(is_named)?;
        interface.tightest(&root.join(interface.folder), group)
    });
    groups.min_by_key(|group| group.left)
}

impl Interface {
    /// A group has no more than those around it. A container may see its own group as the
    /// outermost, and still be told the name that it has outside.
    fn tightest(&self, folder: &Path, group: &str) -> Option<Group> {
        let around = Path::new(group.trim_start_matches('/')).ancestors();
        let groups = around.filter_map(|group| self.read(&folder.join(group)));
        groups.min_by_key(|group| group.left)
    }

    fn read(&self, folder: &Path) -> Option<Group> {
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
        // "max" is no number, and no limit. Version 1 says it by the largest number.
        let figure = |name: &str| text(name)?.trim().parse::<u64>().ok();
        let limit = figure(self.limit).filter(|limit| *limit < 1 << 60)?;
        let counts = text("memory.stat").unwrap_or_default();
        let idle = counts.lines().find_map(|line| line.strip_prefix(self.idle));
        let idle = idle.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
        let taken = figure(self.taken)?.saturating_sub(idle);
        Some(Group {
            limit,
            left: limit.saturating_sub(taken),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of these files, below a folder that goes when the test ends.
    struct System(std::path::PathBuf);

    impl System {
        fn of(name: &str, files: &[(&str, &str)]) -> System {
            let root = std::env::temp_dir().join(format!("cgroup-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                fs::write(path, text).expect("written");
            }
            System(root)
        }

        fn left(&self) -> Option<u64> {
            Some(tightest_below(&self.0)?.left)
        }
    }

    impl Drop for System {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const UNLIMITED: &str = "9223372036854771712\n";

    #[test]
    fn a_container_is_limited_by_its_own_group_and_those_around_it() {
        let container = System::of(
            "v2",
            &[
                ("proc/self/cgroup", "0::/job/step\n"),
                ("sys/fs/cgroup/memory.max", "8000\n"),
                ("sys/fs/cgroup/memory.current", "100\n"),
                ("sys/fs/cgroup/job/memory.max", "5000\n"),
                ("sys/fs/cgroup/job/memory.current", "3000\n"),
                (
                    "sys/fs/cgroup/job/memory.stat",
                    "anon 1\ninactive_file 500\n",
                ),
                ("sys/fs/cgroup/job/step/memory.max", "max\n"),
                ("sys/fs/cgroup/job/step/memory.current", "50\n"),
            ],
        );
        let (limit, left) = (5000, 2500);
        assert_eq!(tightest_below(&container.0), Some(Group { limit, left }));
    }

    #[test]
    fn the_first_version_names_its_controllers() {
        let container = System::of(
            "v1",
            &[
                ("proc/self/cgroup", "9:cpu,memory:/docker/4f1c\n0::/\n"),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n"),
                ("sys/fs/cgroup/memory/memory.usage_in_bytes", "9000\n"),
                (
                    "sys/fs/cgroup/memory/memory.stat",
                    "total_inactive_file 4000\n",
                ),
            ],
        );
        assert_eq!(container.left(), Some(1000));
    }

    #[test]
    fn where_nothing_is_limited_or_told_there_is_no_limit() {
        let unlimited = System::of(
            "unlimited",
            &[
                ("proc/self/cgroup", "no group\n4:memory:/a\n0::/../b\n"),
                ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", UNLIMITED),
                ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "10\n"),
                ("sys/fs/cgroup/memory.max", "max\n"),
            ],
        );
        assert_eq!(unlimited.left(), None);
        assert_eq!(System::of("silent", &[]).left(), None);
    }
}
