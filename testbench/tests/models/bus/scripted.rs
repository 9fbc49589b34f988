//! `ScriptedEngine`: pins whose values the test sets by name, in place of a design.

use xtq_engine::{Direction, Engine, Error, Port, PortId, Result, Snapshot};

/// A design without logic: inputs keep what the models drive, outputs what the test drives.
pub struct ScriptedEngine {
    ports: Vec<Port>,
    values: Vec<Vec<u64>>,
    cycle: u64,
}

impl ScriptedEngine {
    /// Ports by name and width; `inputs` are driven by the models, `outputs` by the test.
    pub fn new(inputs: &[(&str, usize)], outputs: &[(&str, usize)]) -> Self {
        let port = |direction| {
            move |&(name, width): &(&str, usize)| Port {
                name: name.into(),
                width,
                direction,
            }
        };
        let inputs = inputs.iter().map(port(Direction::In));
        let outputs = outputs.iter().map(port(Direction::Out));
        let ports: Vec<Port> = inputs.chain(outputs).collect();
        let values = ports
            .iter()
            .map(|port| vec![0; port.width.div_ceil(64)])
            .collect();
        Self {
            ports,
            values,
            cycle: 0,
        }
    }

    fn position(&self, name: &str) -> usize {
        self.port(name)
            .expect("the test names a port of its engine")
            .position()
    }

    /// Drives any pin, as the design would; missing words are zero.
    pub fn put(&mut self, name: &str, words: &[u64]) {
        let position = self.position(name);
        let value = &mut self.values[position];
        value.fill(0);
        value[..words.len()].copy_from_slice(words);
    }

    /// Lowest word of a pin.
    pub fn word(&self, name: &str) -> u64 {
        self.values[self.position(name)][0]
    }

    /// All words of a pin.
    pub fn words(&self, name: &str) -> Vec<u64> {
        self.values[self.position(name)].clone()
    }
}

impl Engine for ScriptedEngine {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn port(&self, name: &str) -> Result<PortId> {
        let position = self.ports.iter().position(|port| port.name == name);
        position
            .map(PortId::new)
            .ok_or_else(|| Error::NoSuchPort(name.into()))
    }

    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        let pin = &self.ports[port.position()];
        if pin.direction == Direction::Out {
            return Err(Error::BadPort {
                port: pin.name.clone(),
                reason: "is an output".into(),
            });
        }
        self.values[port.position()].copy_from_slice(words);
        Ok(())
    }

    fn get(&self, port: PortId, words: &mut [u64]) {
        words.copy_from_slice(&self.values[port.position()]);
    }

    fn eval(&mut self) -> Result<()> {
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.cycle += 1;
        Ok(())
    }

    fn reset(&mut self, _cycles: u32) -> Result<()> {
        Err(Error::NoSuchPort("rst".into()))
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        Err(Error::NoSuchPath(path.into()))
    }

    fn poke(&mut self, path: &str, _words: &[u64]) -> Result<()> {
        Err(Error::NoSuchPath(path.into()))
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::new(Box::new((self.values.clone(), self.cycle)))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let state = snapshot.state().downcast_ref::<(Vec<Vec<u64>>, u64)>();
        let (values, cycle) = state.ok_or_else(|| Error::Unsupported {
            engine: self.name(),
            what: "restore another engine's snapshot".into(),
        })?;
        self.values.clone_from(values);
        self.cycle = *cycle;
        Ok(())
    }
}
