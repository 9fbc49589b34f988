//! Commands without operands: a line each of one list, from which scenarios have them too.

use xtq_types::command::operation;

use super::command::Command;

/// Makes the functions, their names, and a macro that hands the list on: `with_plain_commands! { make { ... } }` calls
/// `make! { { ... } /// doc  fence, ... }`.
macro_rules! plain_commands {
    (($d:tt) $($(#[doc = $doc:literal])+ $name:ident = $operation:ident,)*) => {
        $($(#[doc = $doc])+
        ///
        #[doc = concat!(
            "```\nuse xtq_testbench::host::", stringify!($name), ";\nuse xtq_types::command::operation;\n\n",
            "assert_eq!(", stringify!($name), "().get(\"operation\"), u64::from(operation::", stringify!($operation), "));\n```",
        )]
        pub fn $name() -> Command {
            Command::new(operation::$operation, &[])
        })*

        /// Names of all commands without operands.
        pub const PLAIN: &[&str] = &[$(stringify!($name)),*];

        macro_rules! with_plain_commands {
            ($d make:ident $d given:tt) => {
                $d make! { $d given $($(#[doc = $doc])+ $name,)* }
            };
        }
        pub(crate) use with_plain_commands;
    };
}

plain_commands! { ($)
    /// Ends when all messages of the context's commands before it are answered.
    fence = FENCE,
    /// Does nothing; with an event it reports that all commands before it have been taken.
    nop = NOP,
}
