/** The run itself went wrong, or found something wrong; the message says what. Exit code 1. */
export class RunFailure extends Error {}
