"""How pyHanko judges the document time-stamp of a PDF under one trusted root: judge.py file root.pem"""
import asyncio
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import async_validate_pdf_timestamp
from pyhanko.sign.validation.dss import DocumentSecurityStore


async def main(path, root):
    with open(path, 'rb') as file:
        reader = PdfFileReader(file)
        [stamp], others = reader.embedded_timestamp_signatures, reader.embedded_regular_signatures
        store = DocumentSecurityStore.read_dss(reader)
        # Nothing is fetched, and nobody is good of whom no list in the file says so.
        roots = [load_cert_from_pemder(root)]
        context = store.as_validation_context(
            {'trust_roots': roots, 'allow_fetching': False, 'revocation_mode': 'require'})
        found = await async_validate_pdf_timestamp(stamp, validation_context=context)
        print(f'intact {found.intact} valid {found.valid} trusted {found.trusted} {found.coverage.name}'
              f' {found.modification_level.name}; 1 time-stamp, {len(others)} others;'
              f' {len(store.certs)} certificates, {len(store.crls)} list')


asyncio.run(main(*sys.argv[1:]))
