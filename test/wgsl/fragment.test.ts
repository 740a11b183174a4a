import { describe, expect, it } from 'vitest';
import { join, link, Wgsl, wgsl } from '../../src/wgsl/index.ts';

describe('a fragment', () => {
  it.each([
    ['fn square(x: u32) -> u32 { return x * x; }', 'square'],
    ['\n  struct Pair { a: u32 }', 'Pair'],
    ['const LIMIT = 3u;', 'LIMIT'],
    ['alias Key = vec2u;', 'Key'],
    ['override size: u32;', 'size'],
    ['var<workgroup> tile: array<u32, 4>;', 'tile'],
    ['var<private> state: u32;', 'state'],
    ['var<workgroup>tile:array<u32,4>;', 'tile'],
    ['@must_use()fn pure()->u32{return 1u;}', 'pure'],
    ['@compute @workgroup_size(64, 1, 1) fn main() {}', 'main'],
    ['@must_use\nfn pure() -> u32 { return 1u; }', 'pure'],
    ['// fn commented\nfn real() {}', 'real'],
    ['/* struct Not { } */ struct Real { a: u32 }', 'Real'],
  ])('declares a name: %s', (text, name) => {
    expect(new Wgsl([text], []).declares).toBe(name);
  });

  it.each([
    ['x + 1u'],
    ['vec4u'],
    ['let x = 1u;'],
    ['var x = 1u;'],
    ['function()'],
    ['fnord(x)'],
    ['constant + 1u'],
    ['if (a) { b = 1u; }'],
    [''],
  ])('is an inline snippet: %s', (text) => {
    expect(new Wgsl([text], []).declares).toBeUndefined();
  });

  it('joins parts with a separator between them', () => {
    const codeOf = (parts: string[]) => link([wgsl`fn f() -> u32 { return ${join(parts, ' + ')}; }`]).code;
    expect(codeOf(['1u', '2u', '3u'])).toContain('return 1u + 2u + 3u;');
    expect(codeOf(['1u'])).toContain('return 1u;');
    expect(codeOf([])).toContain('return ;');
  });
});
