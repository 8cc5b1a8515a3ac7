//! Commands and what they say, as `tests/sessions/` has them.

use tests::{play, play_share, play_slow};

each! { play:
    ablation_says "ablation"
    asm "asm"
    autotuning "autotuning"
    bad_input "bad_input"
    bad_kernels "bad_kernels"
    cache "cache"
    checks_fail "checks"
    choice "choice"
    deaths "deaths"
    diff "diff"
    doctor "doctor"
    exits "exits"
    explain "explain"
    flags "flags"
    installed "installed"
    lessons_at_sizes "lessons"
    no_device "no_device"
    occupancy "occupancy"
    oclcc "oclcc"
    orphans "orphans"
    outside "outside"
    packages "packages"
    panics "panics"
    report "report"
    setting_up "setting_up"
    step "step"
    step_keys "step_keys"
    tasks "tasks"
    terminal "terminal"
    too_large "too_large"
}

// Each waits for what a person does, in an editor and at a terminal.
each! { play_share:
    watch "watch"
    watched "watched"
}

each! { play_slow:
    #[ignore = "a minute of building; what is said of a log is tested with kept logs"]
    explain_elsewhere "explain"
    #[ignore = "builds the course anew, without a network: two minutes"]
    offline "offline"
}
