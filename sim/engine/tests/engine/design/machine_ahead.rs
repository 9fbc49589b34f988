mod machine {
pub(super) fn f0(b: &mut [u64]) {
let Some(b) = b.first_chunk_mut::<19>() else { return };
if b[5] & 0xf != 0 {
if b[5] & 0x1 != 0 {
b[5] &= 0xfffffffffffffffe;
let v15: u64 = (0x0u64 == b[7]) as u64;
let v28: u64 = (b[7] == 0x1u64) as u64;
let v43: u64 = v15 ^ 0x1u64;
let v44: u64 = v28 & v43;
if (v15 ^ b[13]) | (v28 ^ b[14]) != 0 {
b[13] = v15;
b[14] = v28;
b[5] |= 0x10;
}
if (v44 ^ b[15]) != 0 {
b[15] = v44;
b[5] |= 0x30;
}
}
if b[5] & 0x2 != 0 {
b[5] &= 0xfffffffffffffffd;
let v50: u64 = 0xffffffffffffffffu64 ^ b[3];
if (v50 ^ b[16]) != 0 {
b[16] = v50;
b[5] |= 0x20;
}
}
if b[5] & 0x4 != 0 {
b[5] &= 0xfffffffffffffffb;
let v52: u64 = b[4] ^ 0xffffu64;
if (v52 ^ b[17]) != 0 {
b[17] = v52;
b[5] |= 0x20;
}
}
if b[5] & 0x8 != 0 {
b[5] &= 0xfffffffffffffff7;
let v53: u64 = b[8].wrapping_shr(0x4u64 as u32);
let v54: u64 = 0xfffu64 & v53;
if (v54 ^ b[18]) != 0 {
b[18] = v54;
b[5] |= 0x20;
}
}
}
}
pub(super) fn f1(b: &mut [u64]) {
let Some(b) = b.first_chunk_mut::<19>() else { return };
if b[5] & 0x10 != 0 {
if b[5] & 0x10 != 0 {
b[5] &= 0xffffffffffffffef;
let v40: u64 = b[10] & 0xffu64;
let v41: u64 = b[11].wrapping_add(v40);
let v42: u64 = 0xffu64 & v41;
let v45: u64 = if b[15] != 0 { v42 } else { b[11] };
let v47: u64 = b[11].wrapping_add(b[12]);
let v48: u64 = 0xffu64 & v47;
let v49: u64 = if b[15] != 0 { v48 } else { b[12] };
let v16: u64;
let v24: u64;
if b[13] != 0 {
let v13: u64;
let v23: u64;
if b[1] != 0 {
let v5: u64 = b[3].wrapping_shl(0x10u64 as u32);
let v8: u64 = b[10].wrapping_shl(0x4u64 as u32);
let v10: u64 = v8 | b[2];
let v11: u64 = v5 | v10;
let v19: u64 = b[3].wrapping_shr(0x30u64 as u32);
let v21: u64 = b[4].wrapping_shl(0x10u64 as u32);
let v22: u64 = v19 | v21;
v13 = v11;
v23 = v22;
} else {
v13 = b[8];
v23 = b[9];
}
v16 = v13;
v24 = v23;
} else {
v16 = b[8];
v24 = b[9];
}
let v33: u64;
let v37: u64;
if b[0] != 0 {
v33 = 0x0u64;
v37 = 0x0u64;
} else {
let v26: u64 = if b[1] != 0 { b[7] } else { 0x2u64 };
let v29: u64 = if b[14] != 0 { v26 } else { 0x0u64 };
let v30: u64 = if b[1] != 0 { 0x1u64 } else { b[7] };
let v31: u64 = if b[13] != 0 { v30 } else { v29 };
let v34: u64 = b[10].wrapping_add(0x1u64);
let v36: u64 = v34 & 0xfffu64;
v33 = v31;
v37 = v36;
}
if (v33 ^ b[7]) != 0 {
b[7] = v33;
b[5] |= 0x11;
}
if (v16 ^ b[8]) != 0 {
b[8] = v16;
b[5] |= 0x18;
}
if (v24 ^ b[9]) | (v37 ^ b[10]) | (v45 ^ b[11]) != 0 {
b[9] = v24;
b[10] = v37;
b[11] = v45;
b[5] |= 0x10;
}
if (v49 ^ b[12]) != 0 {
b[12] = v49;
b[5] |= 0x30;
}
}
}
}
}
/// Generated code of a design.
pub static MACHINE: xtq_engine::Ahead = xtq_engine::Ahead {
fingerprint: 0xf39a62997d41ed81,
words: 19,
parts: &[&[15, 28, 43, 44], &[50], &[52], &[53, 54], &[5, 8, 10, 11, 13, 16, 19, 21, 22, 23, 24, 26, 29, 30, 31, 33, 34, 36, 37, 40, 41, 42, 45, 47, 48, 49]],
shown: 4,
in_place: &[5, 6, 7, 8, 9, 10],
copies: &[],
first: &[machine::f0, ],
then: &[machine::f1, ],
};
