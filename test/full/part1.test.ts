import { describeFullPart } from '../everyScheme/parts.ts';

await describeFullPart(1);
