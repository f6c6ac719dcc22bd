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
    /// Reads an expression, checks its types, and makes a program of it.
    ///
    /// # Errors
    /// The places where the text is no expression, or where types do not fit; [`Issues::to_text`] shows them.
    pub fn compile(&self, text: &str) -> Result<Program, Issues> {
        let ast: Ast = parser::parse(text).map_err(Issues::new)?;
        let checked: Checked = checker::check(&ast, self).map_err(Issues::new)?;
        Ok(Program::new(ast, checked, self.clone()))
    }
}
