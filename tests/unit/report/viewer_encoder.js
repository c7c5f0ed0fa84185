// Writes .filch files for the viewer's tests, from lists of events: a second implementation of the format, so that the
// viewer's reader is not tested against itself.
//
//   encode({ workers: 2, names: [["leaf", [1, 2, 3]]], lanes: { 0: [["start", 10, { task: 1 }]], outside: […] } })
"use strict";

const { kind, crc32 } = require(`${process.env.FILCH_VIEWER}/format.js`);

const k_none = (1n << 64n) - 1n;

function varint(value) {
  const out = [];
  for (let left = BigInt(value); ; left >>= 7n) {
    if (left < 128n) return [...out, Number(left)];
    out.push(Number(left & 127n) | 128);
  }
}

function zigzag(difference) {
  const signed = BigInt.asIntN(64, difference);
  return BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
}

function text(value) {
  const bytes = new TextEncoder().encode(value);
  return [...varint(bytes.length), ...bytes];
}

function little_endian(value, bytes) {
  return Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 255);
}

function block(type, payload) {
  const head = [...new TextEncoder().encode(type), ...little_endian(payload.length, 4)];
  const whole = Uint8Array.from([...head, ...payload]);
  return [...head, ...little_endian(crc32(whole, 0, whole.length), 4), ...payload];
}

function events(code, list) {
  const out = [...varint(code), ...varint(list.length)];
  let last_time = 0n,
    last_task = 0n;
  for (const [name, time, { task, argument = 0, detail } = {}] of list) {
    const has_task = task !== undefined,
      has_argument = BigInt(argument) !== 0n,
      has_detail = detail !== undefined;
    out.push(kind[name] | (has_task ? 32 : 0) | (has_argument ? 64 : 0) | (has_detail ? 128 : 0));
    out.push(...varint(zigzag(BigInt(time) - last_time)));
    last_time = BigInt(time);
    if (has_task) {
      out.push(...varint(zigzag(BigInt(task) - last_task)));
      last_task = BigInt(task);
    }
    if (has_argument) {
      const raw = BigInt.asUintN(64, BigInt(argument));
      out.push(...varint(name === "spawn" ? zigzag(raw - last_task) : raw));
    }
    if (has_detail) out.push(...varint(detail));
  }
  return out;
}

function encode({ workers, about = {}, names = [], lanes }) {
  const out = [0x89, 0x66, 0x69, 0x6c, 0x63, 0x68, 0x0d, 0x0a, 1, 0, 0, 0];
  const pairs = Object.entries({ workers: String(workers), ...about });
  out.push(
    ...block("META", [...varint(pairs.length), ...pairs.flatMap(([key, value]) => [...text(key), ...text(value)])]),
  );
  out.push(
    ...block("NAME", [
      0,
      ...varint(names.length),
      ...names.flatMap(([name, rgb]) => [...text(name), ...(rgb ? [1, ...rgb] : [0])]),
    ]),
  );
  let count = 0;
  for (const [lane, list] of Object.entries(lanes)) {
    out.push(...block("EVNT", events(lane === "outside" ? 0 : Number(lane) + 1, list)));
    count += list.length;
  }
  out.push(...block("DONE", varint(count)));
  return Uint8Array.from(out);
}

module.exports = { encode, k_none };
