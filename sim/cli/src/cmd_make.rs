//! `xtq make`: a scenario of many nodes.

use crate::error::CliError;
use crate::output::Output;
use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use xtq_testbench::scenario::make::{MakeError, Making, Pattern, make};
use xtq_testbench::scenario::nodes::NicKind;

/// Greatest number of a scenario file.
const MOST: u64 = i64::MAX as u64;
/// Longest pause on average.
const MOST_PAUSE: u64 = MOST / 2;

/// Print a scenario of many nodes
///
/// `wait`: a delay, and nothing else. `ring`: each node puts to its right neighbour. `barrier`: a dissemination barrier
/// of triggered puts. `allreduce`: a sum over all nodes, a ring of triggered atomics and puts. `alltoall`: each puts to
/// all others. `random`: puts of random lengths to random nodes. docs/how-to/cluster.md has more.
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  xtq make barrier --nodes 64 > barrier.toml\n  xtq run --make \"allreduce --nodes 64\""
)]
pub struct MakeArgs {
    /// What the nodes do
    #[arg(value_parser = pattern())]
    pattern: Pattern,
    /// How many there are
    #[arg(long, value_name = "NODES")]
    nodes: usize,
    /// Rounds of a ring, puts of a node in random traffic [default: 10]
    #[arg(long, value_name = "ROUNDS")]
    rounds: Option<usize>,
    /// Bytes of a put, most bytes of a random one, bytes of a node's chunk of an allreduce [default: 64]
    #[arg(long, value_name = "BYTES")]
    bytes: Option<u64>,
    /// Cycles that a node waits: before each round of a ring, on average before a random put, for `wait` [default: 0,
    /// for `wait` 20000]
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(..=MOST_PAUSE))]
    pause: Option<u64>,
    /// Seed of random traffic and of jitter [default: 0]
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..=MOST))]
    seed: Option<u64>,
    /// Cycles of a link [default: 10]
    #[arg(long, value_name = "CYCLES")]
    latency: Option<u64>,
    /// Cycles through the switch [default: 20]
    #[arg(long, value_name = "CYCLES")]
    switch_latency: Option<u64>,
    /// Most cycles that a packet is held up in the switch beyond that [default: 0]
    #[arg(long, value_name = "CYCLES")]
    jitter: Option<u64>,
    /// A network of leaves with so many nodes each, and spines
    #[arg(long, value_name = "NODES", requires = "spines")]
    leaf_ports: Option<u32>,
    /// Spines between the leaves
    #[arg(long, value_name = "SPINES", requires = "leaf_ports")]
    spines: Option<u32>,
    /// The NIC of all nodes: `nic-large` has room for an allreduce of 256 nodes
    #[arg(long, default_value = NicKind::default().name(), value_parser = nic())]
    nic: NicKind,
}

fn pattern() -> impl TypedValueParser<Value = Pattern> {
    let names = PossibleValuesParser::new(Pattern::ALL.map(|(name, _)| name));
    names.map(|name| {
        let found = Pattern::ALL.into_iter().find(|(known, _)| *known == name);
        found.map_or(Pattern::Wait, |(_, pattern)| pattern)
    })
}

fn nic() -> impl TypedValueParser<Value = NicKind> {
    let names = PossibleValuesParser::new(NicKind::ALL.map(|(name, _)| name));
    names.map(|name| {
        let found = NicKind::ALL.into_iter().find(|(known, _)| *known == name);
        found.map_or_else(NicKind::default, |(_, kind)| kind)
    })
}

impl MakeArgs {
    /// Errors: an option is given that the pattern has not, and that would change nothing.
    fn check(&self) -> Result<(), CliError> {
        let has: &[&str] = match self.pattern {
            Pattern::Wait => &["--pause"],
            Pattern::Ring => &["--rounds", "--bytes", "--pause"],
            Pattern::Barrier => &[],
            Pattern::Allreduce | Pattern::Alltoall => &["--bytes"],
            Pattern::Random => &["--rounds", "--bytes", "--pause", "--seed"],
        };
        let has_jitter = self.jitter.is_some_and(|jitter| jitter > 0);
        let given = [
            ("--rounds", self.rounds.is_some()),
            ("--bytes", self.bytes.is_some()),
            ("--pause", self.pause.is_some()),
            ("--seed", self.seed.is_some() && !has_jitter),
        ];
        let mut ignored = given.into_iter().filter(|(name, _)| !has.contains(name));
        let Some((argument, _)) = ignored.find(|(_, given)| *given) else {
            return Ok(());
        };
        let named = Pattern::ALL.iter().find(|(_, one)| *one == self.pattern);
        let name = named.map_or("", |(name, _)| name);
        Err(CliError::Usage {
            argument: argument.to_owned(),
            message: match argument {
                "--seed" => format!("`{name}` draws nothing without --jitter"),
                _ => format!("`{name}` does not have it"),
            },
            help: match has {
                [] => format!("`{name}` takes the number of nodes, their NIC and the network only"),
                has => format!("beside nodes, NIC and network it takes {}", has.join(", ")),
            },
        })
    }

    /// The text of the scenario. Errors: it cannot be made.
    pub fn text(&self) -> Result<String, CliError> {
        self.check()?;
        let plain = Making::new(self.pattern, self.nodes);
        let (link, switch) = plain.latency;
        let making = Making {
            rounds: self.rounds.unwrap_or(plain.rounds),
            bytes: self.bytes.unwrap_or(plain.bytes),
            pause: self.pause.unwrap_or(plain.pause),
            seed: self.seed.unwrap_or(plain.seed),
            latency: (
                self.latency.unwrap_or(link),
                self.switch_latency.unwrap_or(switch),
            ),
            jitter: self.jitter.unwrap_or(plain.jitter),
            leaves: self.leaf_ports.zip(self.spines),
            nic: self.nic,
            ..plain
        };
        make(&making).map_err(|error| CliError::Usage {
            argument: match &error {
                MakeError::Network { key, .. } => format!("--{}", key.replace('_', "-")),
                _ => "make".to_owned(),
            },
            message: error.to_string(),
            help: "`xtq make --help` explains the arguments".to_owned(),
        })
    }
}

/// What stands behind `xtq make`, as one argument.
#[derive(Parser)]
#[command(name = "xtq make", no_binary_name = true)]
struct Made {
    #[command(flatten)]
    args: MakeArgs,
}

/// Reads the arguments of `xtq make` from one text. Errors: in words.
pub fn of_text(text: &str) -> Result<MakeArgs, String> {
    let made = Made::try_parse_from(text.split_whitespace());
    made.map(|made| made.args).map_err(|error| {
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        lines.join(" ").trim_start_matches("error: ").to_owned()
    })
}

/// Prints the scenario.
pub fn run(args: &MakeArgs, output: &mut Output) -> Result<bool, CliError> {
    output.stdout(&args.text()?);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn arguments_in_one_text_are_those_of_the_verb() {
        let args = of_text("ring  --nodes 3 --rounds 2").unwrap();
        assert_eq!((args.nodes, args.rounds), (3, Some(2)));
        for wrong in [
            "",
            "ring",
            "circle --nodes 3",
            "ring --nodes x",
            "ring --nodes 3 more",
        ] {
            assert!(!of_text(wrong).unwrap_err().is_empty(), "{wrong}");
        }
    }
}
