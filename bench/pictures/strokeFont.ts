/** Letters as strokes on a grid of 5 × 7 points: a stroke is a list of points, each its column and its row in two digits. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '06 20 46, 13 33',
  B: '06 00 30 41 42 33 03, 33 44 45 36 06',
  C: '41 30 10 01 05 16 36 45',
  D: '00 06 26 44 42 20 00',
  E: '40 00 06 46, 03 33',
  F: '40 00 06, 03 33',
  G: '41 30 10 01 05 16 36 45 43 23',
  H: '00 06, 40 46, 03 43',
  I: '10 30, 20 26, 16 36',
  J: '40 45 36 16 05',
  K: '00 06, 40 03 46',
  L: '00 06 46',
  M: '06 00 23 40 46',
  N: '06 00 46 40',
  O: '10 30 41 45 36 16 05 01 10',
  P: '06 00 30 41 42 33 03',
  Q: '10 30 41 45 36 16 05 01 10, 24 46',
  R: '06 00 30 41 42 33 03, 23 46',
  S: '41 30 10 01 02 13 33 44 45 36 16 05',
  T: '00 40, 20 26',
  U: '00 05 16 36 45 40',
  V: '00 26 40',
  W: '00 16 23 36 40',
  X: '00 46, 40 06',
  Y: '00 23 40, 23 26',
  Z: '00 40 06 46',
  '0': '10 30 41 45 36 16 05 01 10, 32 14',
  '1': '11 20 26, 16 36',
  '2': '01 10 30 41 42 06 46',
  '3': '01 10 30 41 42 33 23, 33 44 45 36 16 05',
  '4': '36 30 04 44',
  '5': '40 00 03 33 44 45 36 16 05',
  '6': '41 30 10 01 05 16 36 45 44 33 03',
  '7': '00 40 16',
  '8': '10 30 41 42 33 13 02 01 10, 13 04 05 16 36 45 44 33',
  '9': '05 16 36 45 41 30 10 01 02 13 43',
  '.': '26 26',
  ',': '25 17',
  '-': '13 33',
};

/** From one letter to the next, and from one line to the next, in grid steps. */
export const ADVANCE = 6;
export const LINE_HEIGHT = 9;

export const CHARACTERS: readonly string[] = Object.keys(GLYPHS);

type Stroke = readonly (readonly [x: number, y: number])[];

const strokes = new Map<string, readonly Stroke[]>(
  Object.entries(GLYPHS).map(([character, text]) => [
    character,
    text.split(', ').map((stroke) => stroke.split(' ').map((point) => [Number(point[0]), Number(point[1])] as const)),
  ]),
);

/** The strokes of a character; there are none for a space. */
export const strokesOf = (character: string): readonly Stroke[] => strokes.get(character) ?? [];
