/** For processes of tests, whose GPU is nearly always the CPU. */
import { restBetweenPolls } from '../cli/restBetweenPolls.ts';

restBetweenPolls();
