export { bitReversed, morton } from './morton.wgsl.ts';
export type { Coordinates, PlaceOrder, Places, Point, WidePlaces } from './order.ts';
export { remainderOf, remainderTwin } from './remainder.wgsl.ts';
export { rowMajor } from './rowMajor.wgsl.ts';
