import { useQuery } from '@tanstack/react-query';
import type { DmarcSource, DomainReports, TlsFailure } from '../../../../shared/api/portal-types.ts';
import { useApi } from '../../../../shared/app/api-context.tsx';
import { useFormat } from '../../../../shared/format/format.ts';
import { Stack } from '../../../../shared/ui/layout.tsx';
import { Loaded } from '../../../../shared/ui/loaded.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Section } from '../../../../shared/ui/section.tsx';
import { type Column, Table } from '../../../../shared/ui/table.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './page.module.css';
import { reportsOfQuery } from './queries.ts';
import { domainReportWords } from './report-words.ts';

/** Senders in the domain's name, as receivers saw them, and the advice on a stricter policy. */
export default function Reports({ id }: { id: string }) {
  const words = useWords(domainReportWords);
  const api = useApi();
  return (
    <Section title={words.title} hint={words.hint}>
      <Loaded query={useQuery(reportsOfQuery(api, id))} rows={3}>
        {(reports) => (
          <>
            <Found reports={reports} />
            {reports.tls.reports === 0 && <TlsRecord domain={reports.domain} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** TLS reports for those who run the domain's mail hosts. RFC 8460 §3 */
function TlsRecord({ domain }: { domain: string }) {
  const words = useWords(domainReportWords);
  return (
    <p>
      {words.tlsRecord(`_smtp._tls.${domain}`)}{' '}
      <code className={classes['code']}>{`v=TLSRPTv1; rua=mailto:tlsrpt@bounce.${domain}`}</code>
    </p>
  );
}

function Found({ reports: { dmarc, tls } }: { reports: DomainReports }) {
  const words = useWords(domainReportWords);
  const format = useFormat();
  if (dmarc.reports + tls.reports === 0) return <p>{words.none}</p>;
  const { safe_policy: safe, reason } = dmarc.advice;
  const aligned = dmarc.messages === 0 ? 1 : dmarc.aligned / dmarc.messages;
  return (
    <Stack>
      {dmarc.reports > 0 && (
        <>
          <Notice tone={safe === null ? 'waiting' : 'sent'}>
            {safe === null ? words.advice[reason] : words.safe(safe)}
          </Notice>
          <p>
            {words.summary(
              format.number(dmarc.messages),
              format.percent(aligned, 1),
              dmarc.reporters.join(', '),
            )}
          </p>
          <Sources sources={dmarc.sources} />
        </>
      )}
      {tls.reports > 0 && <p>{words.tls(format.number(tls.failed), format.number(tls.sessions))}</p>}
      {tls.failures.length > 0 && <Failures failures={tls.failures} />}
    </Stack>
  );
}

function Sources({ sources }: { sources: readonly DmarcSource[] }) {
  const words = useWords(domainReportWords);
  const format = useFormat();
  const columns: readonly Column<DmarcSource>[] = [
    { id: 'ip', head: words.source, cell: (row) => row.source_ip },
    { id: 'here', head: words.signedHere, cell: (row) => (row.signed_here ? words.yes : words.no) },
    { id: 'messages', head: words.messages, cell: (row) => format.number(row.messages), end: true },
    { id: 'aligned', head: words.aligned, cell: (row) => format.number(row.aligned), end: true },
    { id: 'from', head: words.from, cell: (row) => row.header_from.join(', '), main: true },
  ];
  return <Table label={words.sources} columns={columns} rows={sources} rowKey={(row) => row.source_ip} />;
}

function Failures({ failures }: { failures: readonly TlsFailure[] }) {
  const words = useWords(domainReportWords);
  const format = useFormat();
  const columns: readonly Column<TlsFailure>[] = [
    { id: 'host', head: words.host, cell: (row) => row.host ?? words.unnamed },
    { id: 'result', head: words.result, cell: (row) => row.result, main: true },
    { id: 'sessions', head: words.sessions, cell: (row) => format.number(row.sessions), end: true },
  ];
  return (
    <Table
      label={words.failures}
      columns={columns}
      rows={failures}
      rowKey={(row) => `${row.host ?? ''} ${row.result}`}
    />
  );
}
