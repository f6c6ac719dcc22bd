//! Which types fit where, and what type parameters stand for.
//!
//! See <https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking>.

use std::sync::Arc;

use crate::types::Type;

/// How many steps it may take to compare two types or to write one out. Types that are larger count as `dyn`.
const STEPS: u32 = 2_000;

/// The types that the type parameters stand for, as far as they are known.
#[derive(Default)]
pub(super) struct Substitutions {
    known: Vec<Option<Type>>,
    /// The parameters that have been changed, and their types before, to undo the changes.
    changed: Vec<(u32, Option<Type>)>,
    steps: u32,
}

impl Substitutions {
    /// The number of the first of `count` new parameters.
    pub(super) fn fresh(&mut self, count: usize) -> u32 {
        let first = self.known.len() as u32;
        self.known.resize(self.known.len() + count, None);
        first
    }

    /// Returns whether values of the types `values` may stand where `places` are expected. If so, the types that the
    /// parameters stand for are learnt from it.
    pub(super) fn assign(&mut self, values: &[Type], places: &[Type]) -> bool {
        self.changed.clear();
        self.steps = STEPS;
        let fits = values.len() == places.len() && values.iter().zip(places).all(|(a, b)| self.fits(a, b));
        if !fits {
            while let Some((number, before)) = self.changed.pop() {
                if let Some(known) = self.known.get_mut(number as usize) {
                    *known = before;
                }
            }
        }
        fits
    }

    fn find(&self, number: u32) -> Option<Type> {
        self.known.get(number as usize).cloned().flatten()
    }

    fn learn(&mut self, number: u32, of: Type) {
        if let Some(known) = self.known.get_mut(number as usize) {
            self.changed.push((number, known.replace(of)));
        }
    }

    fn fits(&mut self, a: &Type, b: &Type) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else { return true };
        self.steps = steps;
        if let Type::Param(number) = b {
            match self.stands_for(a, *number) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Param(number) = a {
            return self.stands_for(b, *number).0;
        }
        match (a, b) {
            (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Error) => true,
            (Type::Null, other) | (other, Type::Null) => matches!(
                other,
                Type::Null
                    | Type::Object(_)
                    | Type::Opaque(_)
                    | Type::Optional(_)
                    | Type::Duration
                    | Type::Timestamp
            ),
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => self.fits(a, b),
            (Type::Map(a), Type::Map(b)) => self.fits(&a.0, &b.0) && self.fits(&a.1, &b.1),
            (Type::Type(_), Type::Type(_)) => true,
            _ => a == b,
        }
    }

    /// Returns whether the parameter `number` can stand for `of`, and whether its type was known before.
    fn stands_for(&mut self, of: &Type, number: u32) -> (bool, bool) {
        if *of == Type::Param(number) {
            return (true, true);
        }
        let Some(known) = self.find(number) else {
            let possible = !self.mentions(of, number);
            if possible {
                self.learn(number, of.clone());
            }
            return (possible, false);
        };
        if *of == known {
            return (true, true);
        }
        if !self.fits(of, &known) {
            return (false, true);
        }
        // Of types that fit, the more general one is remembered.
        let general = if less_specific(of, &known) { of.clone() } else { known };
        if !self.mentions(&general, number) {
            self.learn(number, general);
        }
        (true, true)
    }

    /// Returns whether the type `of` contains the parameter `number`.
    fn mentions(&mut self, of: &Type, number: u32) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else { return true };
        self.steps = steps;
        match of {
            Type::Param(other) if *other == number => true,
            Type::Param(other) => match self.find(*other) {
                Some(known) => self.mentions(&known, number),
                None => false,
            },
            Type::List(inner) | Type::Optional(inner) | Type::Type(inner) => self.mentions(inner, number),
            Type::Map(entry) => self.mentions(&entry.0, number) || self.mentions(&entry.1, number),
            _ => false,
        }
    }

    /// The type `of` with what its parameters stand for. Those that are not known stay, or become `dyn`.
    pub(super) fn substitute(&self, of: &Type, to_dyn: bool) -> Type {
        self.substituted(of, to_dyn, &mut { STEPS })
    }

    fn substituted(&self, of: &Type, to_dyn: bool, steps: &mut u32) -> Type {
        let Some(left) = steps.checked_sub(1) else { return Type::Dyn };
        *steps = left;
        let mut inner = |of: &Arc<Type>| self.substituted(of, to_dyn, steps);
        match of {
            Type::Param(number) => match self.find(*number) {
                Some(known) => self.substituted(&known, to_dyn, steps),
                None if to_dyn => Type::Dyn,
                None => of.clone(),
            },
            Type::List(items) => Type::list(inner(items)),
            Type::Optional(of) => Type::optional(inner(of)),
            Type::Type(of) => Type::of_type(inner(of)),
            Type::Map(entry) => {
                let keys = self.substituted(&entry.0, to_dyn, steps);
                Type::map(keys, self.substituted(&entry.1, to_dyn, steps))
            }
            _ => of.clone(),
        }
    }
}

/// The more general of two types that fit each other.
pub(super) fn more_general(a: Type, b: Type) -> Type {
    if less_specific(&a, &b) { a } else { b }
}

/// Returns whether `a` is the same type as `b`, or a less specific one.
fn less_specific(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Dyn | Type::Param(_), _) => true,
        (_, Type::Dyn | Type::Param(_)) => false,
        (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => less_specific(a, b),
        (Type::Map(a), Type::Map(b)) => less_specific(&a.0, &b.0) && less_specific(&a.1, &b.1),
        (Type::Type(_), Type::Type(_)) => true,
        _ => a == b,
    }
}
