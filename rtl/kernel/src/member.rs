//! How bundles are spelt. The build script of `rtl/catalogue` takes this file in, so it uses nothing.

/// What a bundle's member is called outside the kernel: `own_valid`, but `m_axi_awvalid` as AXI has it.
pub fn member(bundle: &str, member: &str) -> String {
    match bundle.contains("axi_") {
        true => format!("{bundle}{member}"),
        false => format!("{bundle}_{member}"),
    }
}
