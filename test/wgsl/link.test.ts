import { describe, expect, it } from 'vitest';
import { link, storage, uniform, wgsl } from '../../src/wgsl/index.ts';

describe('the linker', () => {
  it('puts every dependency once, before whoever uses it', () => {
    const one = wgsl`fn one() -> u32 { return 1u; }`;
    const two = wgsl`fn two() -> u32 { return ${one}() + ${one}(); }`;
    const three = wgsl`fn three() -> u32 { return ${one}() + ${two}(); }`;
    const { code } = link([three, two]);
    expect(code.match(/fn \w+/g)).toEqual(['fn one', 'fn two', 'fn three']);
  });

  it('reaches dependencies through inline snippets and through the types of bindings', () => {
    const Pair = wgsl`struct Pair { a: u32, b: u32 }`;
    const pairs = storage('pairs', wgsl`array<${Pair}>`);
    const sum = wgsl`fn sum() -> u32 { return ${wgsl`${pairs}[0].a + ${wgsl`${pairs}[0].b`}`}; }`;
    expect(link([sum]).code).toBe(
      [
        'struct Pair { a: u32, b: u32 }',
        '@group(0) @binding(0) var<storage, read> pairs: array<Pair>;',
        'fn sum() -> u32 { return pairs[0].a + pairs[0].b; }',
        '',
      ].join('\n'),
    );
  });

  it('expands an inline snippet wherever it stands', () => {
    const next = wgsl`(x + ${1}u)`;
    expect(link([wgsl`fn f(x: u32) -> u32 { return ${next} * ${next}; }`]).code).toContain('(x + 1u) * (x + 1u)');
  });

  it('gives two declarations that want one name a spelling each', () => {
    const a = wgsl`fn find() -> u32 { return 1u; }`;
    const b = wgsl`fn find() -> u32 { return 2u + ${a}(); }`;
    const binding = storage('find', 'array<u32>');
    const linked = link([wgsl`fn both() -> u32 { return ${a}() + ${b}() + ${binding}[0]; }`]);
    const names = [a, b, binding].map((part) => linked.nameOf(part));
    expect(new Set(names).size).toBe(3);
    expect(linked.code).toContain(`return ${names[0]}() + ${names[1]}() + ${names[2]}[0];`);
    expect(linked.code).toContain(`fn ${names[1]}() -> u32 { return 2u + ${names[0]}(); }`);
  });

  it('avoids names that are used as local names anywhere, since they would shadow it', () => {
    const count = uniform('count', 'u32');
    const user = wgsl`fn user(a: u32) -> u32 { let count = a; return count + ${count}; }`;
    const linked = link([user]);
    expect(linked.nameOf(count)).not.toBe('count');
    expect(linked.code).toContain(`return count + ${linked.nameOf(count)};`);
  });

  it('avoids names in strings and in snippets that are interpolated', () => {
    const helper = wgsl`fn helper() -> u32 { return 1u; }`;
    const body = wgsl`let helper = 3u;`;
    const linked = link([wgsl`fn f() -> u32 { ${body} let ${'other'} = ${helper}(); return helper + other; }`]);
    expect(linked.nameOf(helper)).not.toBe('helper');
  });

  it('renames a declaration whose name also stands in the comment or attribute before it', () => {
    const first = wgsl`fn rank() -> u32 { return 1u; }`;
    const second = wgsl`
// rank: the place of an item. fn rank is what it says.
@must_use fn rank() -> u32 { return ${first}() + 1u; }`;
    const linked = link([second]);
    const [a, b] = [linked.nameOf(first), linked.nameOf(second)];
    expect(a).not.toBe(b);
    expect(linked.code).toContain(`fn ${a}() -> u32 { return 1u; }`);
    expect(linked.code).toContain(`@must_use fn ${b}() -> u32 { return ${a}() + 1u; }`);
    expect(linked.code).toContain('// rank: the place of an item. fn rank is what it says.');
  });

  it('numbers bindings in the order they are met, in the wanted group', () => {
    const [a, b, c] = [uniform('a', 'vec4u'), storage('b', 'array<u32>'), storage('c', 'u32', 'read_write')];
    const { code, bindings } = link([wgsl`fn f() { ${c} = ${b}[0] + ${a}.x + ${b}[1]; }`], { group: 2 });
    expect(bindings).toEqual([c, b, a]);
    expect(code).toContain('@group(2) @binding(0) var<storage, read_write> c: u32;');
    expect(code).toContain('@group(2) @binding(1) var<storage, read> b: array<u32>;');
    expect(code).toContain('@group(2) @binding(2) var<uniform> a: vec4u;');
  });

  it('numbers bindings from where it is told to', () => {
    const [a, b] = [uniform('a', 'u32'), uniform('b', 'u32')];
    const { code } = link([wgsl`fn f() -> u32 { return ${a} + ${b}; }`], { firstBinding: 5 });
    expect(code).toContain('@group(0) @binding(5) var<uniform> a: u32;');
    expect(code).toContain('@group(0) @binding(6) var<uniform> b: u32;');
  });

  it('puts a prefix before every name of its own and before none of the caller', () => {
    const table = storage('slots', 'array<u32>');
    const find = wgsl`fn find(key: u32) -> u32 { let slot = key; return ${table}[slot]; }`;
    const { code } = link([find], { prefix: 'prices' });
    expect(code).toContain('fn prices_find(key: u32) -> u32 { let slot = key; return prices_slots[slot]; }');
    expect(code).toContain('> prices_slots: array<u32>;');
  });

  it('leaves plain text alone', () => {
    const text = 'fn f(a: u32) -> u32 { let aa = a; /* a */ return aa + a; // a\n }';
    expect(
      link([
        wgsl`fn g() -> u32 { return ${wgsl`fn f(a: u32) -> u32 { let aa = a; /* a */ return aa + a; // a\n }`}(1u); }`,
      ]).code,
    ).toContain(text);
  });

  it('knows no name of a fragment that is not part of the module', () => {
    const linked = link([wgsl`fn f() {}`]);
    expect(() => linked.nameOf(wgsl`fn g() {}`)).toThrow('not part of the linked module');
  });

  it('gives the same text for the same fragments', () => {
    const make = () => link([wgsl`fn f() -> u32 { return ${storage('a', 'array<u32>')}[0]; }`]).code;
    expect(make()).toBe(make());
  });
});
