//! From a text to a program: it is read, and its types are checked.

use crate::{
    ast::Ast,
    checker::{self, Checked},
    env::Env,
    parser,
    program::Program,
    source::Issues,
};

impl Env {
    /// Reads an expression, checks its types, and makes a program of it. Else what is wrong with it; the text that
    /// shows it is [`Issues::to_text`].
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        let ast: Ast = parser::parse(text).map_err(Issues::new)?;
        let checked: Checked = checker::check(&ast, self).map_err(Issues::new)?;
        Ok(Program::new(ast, checked, self.clone()))
    }
}
