/**
 * A refusal as the server gives it, or status 0 when none answered: code `unreachable`, or `no_answer` when
 * that took too long.
 */
export interface Problem {
  readonly status: number;
  readonly code: string;
  /** The server's message, in English; empty when there is none. */
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds?: number;
}

/** The code of a read that was given up. */
export const NO_ANSWER = 'no_answer';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message || problem.code);
    this.name = 'ApiError';
    this.status = problem.status;
    this.code = problem.code;
    this.problem = problem;
  }
}

/** Text of a page while a read waits for its answer. */
export const NO_ANSWER_YET = new ApiError({
  status: 0,
  code: 'no_answer_yet',
  message: '',
  requestId: null,
});

/** The problem in an answer that is not a success. */
export async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const envelope = (await response.json().catch(() => null)) as Envelope | null;
  return {
    status: response.status,
    code: envelope?.error?.code ?? 'unavailable',
    message: envelope?.error?.message ?? '',
    requestId: response.headers.get('Request-Id'),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
  };
}

interface Envelope {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** Any error as a problem to show: what is no refusal is a fault of the page. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return { status: 0, code: 'page_fault', message, requestId: null };
}
