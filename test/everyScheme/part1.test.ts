import { describePart } from './parts.ts';

await describePart(1);
