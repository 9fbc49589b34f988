//! Many instances at once: each function for all instances of its body before the next one, so that its code stays in
//! the processor's nearest cache.

use std::sync::Arc;

use super::instance::Compiled;
use crate::engine::Engine;
use crate::{Error, Result};

/// [`Engine::eval`] of engines of any kind; those that compile the same design run function by function. Errors: of the
/// first engine that has one, with its place.
pub fn eval_all(engines: &mut [&mut dyn Engine]) -> std::result::Result<(), (usize, Error)> {
    let done = alone(engines, |engine| engine.eval());
    let together = Compiled::eval_all(&mut together(engines));
    done.and(together.map_err(|error| (0, error)))
}

/// [`Engine::step`] in the same way. Errors: as [`eval_all`].
pub fn step_all(engines: &mut [&mut dyn Engine]) -> std::result::Result<(), (usize, Error)> {
    let done = alone(engines, |engine| engine.step());
    let together = Compiled::step_all(&mut together(engines));
    done.and(together.map_err(|error| (0, error)))
}

/// Does something with those that are not compiled.
fn alone(
    engines: &mut [&mut dyn Engine],
    does: impl Fn(&mut dyn Engine) -> Result<()>,
) -> std::result::Result<(), (usize, Error)> {
    let mut first = Ok(());
    for (place, engine) in engines.iter_mut().enumerate() {
        if compiled(*engine).is_none()
            && let Err(error) = does(*engine)
        {
            first = first.and(Err((place, error)));
        }
    }
    first
}

/// Those that are compiled.
fn together<'a>(engines: &'a mut [&mut dyn Engine]) -> Vec<&'a mut Compiled> {
    let mut found = Vec::with_capacity(engines.len());
    for engine in engines {
        found.extend(compiled(*engine));
    }
    found
}

fn compiled(engine: &mut dyn Engine) -> Option<&mut Compiled> {
    engine.as_any()?.downcast_mut()
}

impl Compiled {
    /// [`Engine::eval`] of all instances. Errors: none.
    pub fn eval_all(instances: &mut [&mut Self]) -> Result<()> {
        for instance in &mut *instances {
            instance.take_inputs();
        }
        let stale = |one: &Self| one.state.awake && one.is_stale();
        run_all(instances, true, stale);
        for instance in instances.iter_mut().filter(|one| one.state.awake) {
            instance.told();
        }
        Ok(())
    }

    /// [`Engine::step`] of all instances. Errors: those of it.
    pub fn step_all(instances: &mut [&mut Self]) -> Result<()> {
        // Nothing is shared while something is looked at.
        if instances.iter().any(|one| one.wave.is_some()) {
            return instances.iter_mut().try_for_each(|one| one.step());
        }
        Self::eval_all(instances)?;
        for instance in &mut *instances {
            instance.begin();
        }
        run_all(instances, false, |one| one.state.awake);
        for instance in instances.iter_mut().filter(|one| one.state.awake) {
            instance.end();
        }
        Ok(())
    }
}

/// Runs the parts whose flags are set, of those instances that need it.
fn run_all(instances: &mut [&mut Compiled], shown: bool, needs: impl Fn(&Compiled) -> bool) {
    let mut waiting: Vec<&mut Compiled> = Vec::with_capacity(instances.len());
    waiting.extend(
        instances
            .iter_mut()
            .map(|one| &mut **one)
            .filter(|one| needs(one)),
    );
    while let Some(first) = waiting.first() {
        let body = Arc::clone(&first.body);
        // Usually all.
        let mut others = Vec::new();
        let mut same = Vec::with_capacity(waiting.len());
        for one in waiting {
            match Arc::ptr_eq(&one.body, &body) {
                true => same.push(one),
                false => others.push(one),
            }
        }
        for function in body.functions(shown) {
            for one in &mut same {
                if body.is_due(function, &one.state.buffer) {
                    one.run_function(function);
                }
            }
        }
        waiting = others;
    }
}
