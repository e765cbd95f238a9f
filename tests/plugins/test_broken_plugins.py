# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what is said of compiled plugins that break the contract, and that nothing else is harmed.
"""Each plugin is a library of its own, installed as a distribution, and asked for as a user would."""

from __future__ import annotations

import gc
import os
import struct

import pytest

import iree_cy
from iree_cy import _core, errors
from iree_cy.errors import Incompatible, Internal, StatusCode, StatusError, Unavailable
from iree_cy.plugins.registry import DriverRegistry, registry
from tests.support.native import ROOT, build_plugin_library

SOURCE = ROOT / "tests" / "plugins" / "plugin_to_break.c"
MADE = "driver '{name}' (iree-cy-{name} 1.5) "


@pytest.fixture
def install(site, tmp_path, monkeypatch):
    """Compile a plugin, with some of it changed, and install it as a distribution."""
    # Drivers of another test must not answer for this one's names.
    monkeypatch.setattr(registry, "__dict__", DriverRegistry().__dict__)

    def install(name="bad", flags=(), **changes):
        module = site.driver(name, f"iree-cy-{name}", "1.5")
        library = site.path / f"lib{module}.so"
        # Libraries stay in the process by their files, so no two may be one.
        library.unlink()
        values = {"DRIVER": f'"{name}"', **changes}
        build_plugin_library(SOURCE, library, [*(f"-D{key}={value}" for key, value in values.items()), *flags])
        return library

    yield install
    _core.drain_log()


def first_line(error):
    line = str(error).partition("\n")[0]
    assert len(line) <= 200, line
    return line


def use_good(install):
    """Do some work with a driver that works, which is installed the first time."""
    if not registry.entries("good"):
        install("good")
    device = iree_cy.get_driver("good").create_device(0)
    buffer = device.allocator.allocate_host_staging_buffer_copy(device, b"1234")
    assert bytes(buffer.map()) == b"1234"


def refused(install, cls, told, ask=lambda: iree_cy.get_driver("bad")):
    """Ask twice, with a driver that works in between; return the error."""
    use_good(install)
    caught = []
    counts = []
    for _ in range(3):
        with pytest.raises(StatusError) as info:
            ask()
        caught.append(info.value)
        assert type(info.value) is cls, info.value
        # An exception keeps what its frames hold.
        info.value.__traceback__ = None
        assert iree_cy.get_driver("good").query_available_devices()[0]["path"] == "one"
        gc.collect()
        counts.append(_core.live_object_counts())
    assert counts[0] == counts[1] == counts[2]
    line = first_line(caught[0])
    assert line.startswith(MADE.format(name="bad")), line
    assert told in line, line
    assert [str(error) for error in caught] == [str(caught[0])] * 3
    assert [error.annotations for error in caught] == [caught[0].annotations] * 3
    assert len({id(error) for error in caught}) == 3
    assert all(isinstance(error.__cause__, StatusError) for error in caught)
    assert "bad" in iree_cy.query_available_drivers()
    use_good(install)
    return caught[0]


def test_unbroken(install):
    install()
    driver = iree_cy.get_driver("bad")
    assert driver.query_available_devices() == [{"device_id": 0, "path": "one", "name": "the one device"}]
    assert driver.create_device(0).name == "bad"


class TestLibrary:
    def refused(self, install, change, cls, told):
        library = install()
        data = bytearray(library.read_bytes())
        library.unlink()
        library.write_bytes(change(data))
        return refused(install, cls, told)

    @pytest.mark.parametrize("text", [b"", b"\x7fEL", b"#!/bin/sh\nexit 0\n" * 9, b"\x7fELF"])
    def test_no_elf(self, install, text):
        self.refused(install, lambda data: text, Unavailable, "is no shared library: it does not begin as ELF files do")

    def test_pointer_to_lfs(self, install):
        text = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
        self.refused(install, lambda data: text, Unavailable, "; reinstall it")

    def test_cut_in_its_head(self, install):
        self.refused(install, lambda data: data[:40], Unavailable, "is no shared library: it is cut short; reinstall")

    @pytest.mark.parametrize("length", [64, 100, 500, 4096, 12000])
    def test_cut_short(self, install, length):
        """The dynamic linker would map it, and the process would die of a bus error."""
        told = " is no whole library: its file is cut short; reinstall it"
        self.refused(install, lambda data: data[:length], Unavailable, told)

    def test_headers_at_the_end_of_numbers(self, install):
        def change(data):
            struct.pack_into("=Q", data, 32, 2**64 - 56)
            return data

        self.refused(install, change, Unavailable, " is no whole library: its file is cut short; reinstall it")

    def test_damaged_inside(self, install):
        """What the dynamic linker finds wrong."""

        def change(data):
            struct.pack_into("=H", data, 54, 40)
            return data

        self.refused(install, change, Unavailable, " does not load: ELF file's phentsize not the expected size; ")

    def test_other_machine(self, install):
        def change(data):
            # AArch64, or x86-64 where that is what this is.
            here = struct.unpack_from("=H", data, 18)[0]
            struct.pack_into("=H", data, 18, 183 if here != 183 else 62)
            return data

        self.refused(install, change, Incompatible, "is for another machine (ELF class 2, machine ")

    def test_other_class(self, install):
        def change(data):
            data[4] = 1
            return data

        self.refused(install, change, Incompatible, "(ELF class 1, machine ")

    def test_other_byte_order(self, install):
        def change(data):
            data[5] = 2 if data[5] == 1 else 1
            return data

        self.refused(install, change, Incompatible, "; install this platform's build")

    def test_other_kind_of_file(self, install):
        def change(data):
            struct.pack_into("=H", data, 16, 1)
            return data

        self.refused(install, change, Unavailable, "is no shared library: it is an ELF file of another type")

    @pytest.mark.parametrize("kind", ["folder", "pipe", "device", "dangling", "loop", "absent"])
    def test_no_file(self, install, kind):
        library = install()
        library.unlink()
        if kind == "folder":
            library.mkdir()
        elif kind == "pipe":
            os.mkfifo(library)
        elif kind == "device":
            library.symlink_to("/dev/zero")
        elif kind == "dangling":
            library.symlink_to("nowhere")
        elif kind == "loop":
            library.symlink_to(library)
        use_good(install)
        told = []
        for _ in range(2):
            with pytest.raises(Unavailable, match="is missing; reinstall it") as caught:
                iree_cy.get_driver("bad")
            assert first_line(caught.value).startswith(MADE.format(name="bad"))
            told.append(str(caught.value))
        assert told[0] == told[1]
        if kind not in ("dangling", "loop", "absent"):
            with pytest.raises(Unavailable, match="is no file, and so no shared library"):
                _core.load_driver_plugin("bad", library)

    def test_unresolved_symbol(self, install):
        code = "extern void vendor_start_9(void); vendor_start_9();"
        install(flags=["-Wl,--warn-unresolved-symbols"], ON_CREATE=code)
        error = refused(
            install, Unavailable, "undefined symbol: vendor_start_9; install what it needs, or reinstall it"
        )
        assert " does not load: undefined symbol" in str(error)

    def test_missing_library(self, install, tmp_path):
        vendor = build_plugin_library("int vendor_start(void) { return 0; }\n", tmp_path / "libvendor7.so")
        install(flags=["-Wl,--no-as-needed", str(vendor)])
        vendor.unlink()
        refused(install, Unavailable, "libvendor7.so: cannot open shared object file")

    def test_no_plugin(self, install):
        install(QUERY="another_query")
        refused(install, Incompatible, "is no driver plugin: it exports no iree_cy_driver_plugin_query")


class TestTable:
    @pytest.mark.parametrize("version", [0, 7, 0xFFFFFFFF])
    def test_version(self, install, version):
        install(TABLE_VERSION=f"{version}u")
        own = _core.build_info()["abi_version"]
        told = (
            f"was built for plugin ABI version {version}, and this iree_cy has version {own}; install builds that fit"
        )
        refused(install, Incompatible, told)

    def test_version_of_a_table_of_another_size(self, install):
        """Of another version no more than the head is known, so that its version is what is told."""
        install(TABLE_VERSION="9", TABLE_SIZE="24")
        refused(install, Incompatible, "was built for plugin ABI version 9")

    @pytest.mark.parametrize("size", [0, 4, 15])
    def test_no_head(self, install, size):
        install(TABLE_SIZE=str(size))
        refused(install, Incompatible, f" has {size} bytes and no header; report it to the driver's author")

    @pytest.mark.parametrize("size", [16, 24, 55])
    def test_too_short(self, install, size):
        install(TABLE_SIZE=str(size))
        refused(install, Incompatible, f" has {size} bytes, and ABI version ")

    @pytest.mark.parametrize("size", ["sizeof(iree_cy_driver_plugin_t)+8", "0xFFFFFFFFu"])
    def test_longer_than_known(self, install, size):
        """A newer plugin of the same version: what is not known is not read."""
        install(TABLE_SIZE=size)
        assert iree_cy.get_driver("bad").name == "bad"

    @pytest.mark.parametrize("size", ["sizeof(iree_cy_host_api_t)+8", "UINT64_MAX"])
    def test_host_table_too_short(self, install, size):
        install(HOST_API_SIZE=size)
        refused(install, Incompatible, "needs a host table of ")

    @pytest.mark.parametrize("field", ["TABLE_NAME", "HUMAN_NAME", "PLUGIN_VERSION"])
    @pytest.mark.parametrize(
        ("value", "told"),
        [
            ("NULL", "it is NULL"),
            ("(const char*)8", "it points nowhere"),
            ('""', "it is empty"),
            (r'"\xff\xfe"', "it is not UTF-8"),
            (r'"a\xc3"', "it is not UTF-8"),
            (f'"{"n" * 300}"', "it is longer than 255 bytes"),
        ],
    )
    def test_texts(self, install, field, value, told):
        install(**{field: value})
        field = {"TABLE_NAME": "name"}.get(field, field.lower())
        refused(install, Internal, f" has no usable {field}, {told}; report it to the driver's author")

    def test_text_of_the_greatest_size(self, install):
        install(HUMAN_NAME=f'"{"n" * 253}\u00e9"')
        assert iree_cy.get_driver("bad").name == "bad"

    @pytest.mark.parametrize("name", ["other", "Bad", "bad2", "ba"])
    def test_another_name(self, install, name):
        install(TABLE_NAME=f'"{name}"')
        refused(install, Incompatible, f" is the plugin of driver '{name}', not of 'bad'; name the entry point after")

    @pytest.mark.parametrize("value", ["NULL", "(iree_cy_create_driver_fn_t)16"])
    def test_no_factory(self, install, value):
        install(FACTORY=value)
        refused(install, Internal, " has no create_driver; report it to the driver's author")

    @pytest.mark.parametrize("value", ["(void*)24", "(const char*)&plugin+1", "(void*)-1"])
    def test_at_no_address(self, install, value):
        install(ON_QUERY=f"return (const iree_cy_driver_plugin_t*)({value});")
        refused(install, Internal, ", where no table can be; report it to the driver's author")


class TestQuery:
    def test_null(self, install):
        install(ON_QUERY="return NULL;")
        refused(install, Internal, "its query returned NULL and logged no error; report it to the driver's author")

    def test_null_with_a_reason(self, install):
        log = 'iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("bad"), IREE_SV("the card is asleep")); return false;'
        install(ON_INITIALIZE=log)
        with pytest.warns(iree_cy.DeviceWarning, match="the card is asleep"):
            refused(install, Internal, "refused to start: its query returned NULL: the card is asleep")

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"DESTROY_DRIVER": "NULL"}, "must implement iree_hal_driver_t.destroy"),
            ({"LIST_DEVICES": "NULL"}, "must implement iree_hal_driver_t.query_available_devices"),
            ({"CREATE_DEVICE": "NULL"}, "must implement iree_hal_driver_t.create_device_by_id"),
            ({"DESTROY_DEVICE": "NULL"}, "must implement iree_hal_device_t.destroy"),
            ({"DRIVER_VTABLE_SIZE": "0"}, "vtable of iree_hal_driver_t says that it has 0 bytes"),
            ({"DRIVER_VTABLE_SIZE": "8"}, "vtable of iree_hal_driver_t says that it has 8 bytes"),
            ({"DRIVER_VTABLE_SIZE": "48"}, "must implement iree_hal_driver_t.create_device_by_id"),
            ({"DEVICE_VTABLE_SIZE": "1"}, "vtable of iree_hal_device_t says that it has 1 bytes"),
        ],
    )
    def test_vtables(self, install, changes, told):
        install(**changes)
        with pytest.warns(iree_cy.DeviceWarning):
            error = refused(install, Internal, "refused to start: its query returned NULL: driver 'bad'")
        # The line has room for the beginning.
        assert told in "\n".join([str(error), *error.annotations])

    @pytest.mark.parametrize("size", ["4096", "0xFFFFFFFFu"])
    def test_vtable_that_says_it_is_huge(self, install, size):
        """As one of a newer header: what is known is read, and that is there."""
        install(DRIVER_VTABLE_SIZE=size, DEVICE_VTABLE_SIZE=size)
        driver = iree_cy.get_driver("bad")
        assert driver.create_device(0).name == "bad"
        assert driver.dump_device_info(0) == "path: one\nname: the one device\n"


STRAY = """
  static iree_hal_driver_t stray;
  memset(&stray, 0, sizeof(stray));
  stray.resource.ref_count = 1;
  stray.resource.vtable = {vtable};
  *out_driver = &stray;
  return iree_ok_status();
"""
NO_DRIVER = "gave what is no driver with a registered vtable; report it to the driver's author"


def one_line(code):
    return " ".join(code.split())


class TestFactory:
    @pytest.mark.parametrize("code", [code for code in StatusCode if code != StatusCode.OK])
    def test_fails(self, install, code):
        install(ON_CREATE=f'return iree_make_status((iree_status_code_t){int(code)},"the card said no");')
        error = refused(install, type(errors.make_error(code, "")), "cannot be used: the card said no")
        assert error.code == code

    def test_fails_with_an_unknown_code(self, install):
        install(ON_CREATE='return iree_make_status((iree_status_code_t)30,"the card said no");')
        refused(install, errors.Unknown, "cannot be used: the card said no")

    def test_fails_and_gives_a_driver(self, install):
        code = '*out_driver = (iree_hal_driver_t*)(uintptr_t)24; return iree_make_status(IREE_STATUS_ABORTED, "no");'
        install(ON_CREATE=code)
        refused(install, errors.Aborted, "cannot be used: no")

    def test_long_story(self, install):
        install(ON_CREATE=f'return iree_make_status(IREE_STATUS_ABORTED, "{"long " * 80}end");')
        error = refused(install, errors.Aborted, "cannot be used: long long")
        assert error.annotations[0].endswith("long end")

    def test_no_driver(self, install):
        install(ON_CREATE="return iree_ok_status();")
        refused(install, Internal, "returned OK and no driver; report it to the driver's author")

    @pytest.mark.parametrize("address", ["8", "(uintptr_t)&driver_entries+3"])
    def test_no_address(self, install, address):
        install(ON_CREATE=f"*out_driver = (iree_hal_driver_t*)({address}); return iree_ok_status();")
        refused(install, Internal, NO_DRIVER)

    @pytest.mark.parametrize("vtable", ["NULL", "&driver_entries", "(void*)1", "(void*)-1", "device_vtable", "&stray"])
    def test_vtable_that_is_not_registered(self, install, vtable):
        install(ON_CREATE=one_line(STRAY.format(vtable=vtable)))
        refused(install, Internal, NO_DRIVER)

    def test_vtable_given_to_the_host(self, install):
        code = """
          static iree_hal_driver_t stray;
          return iree_hal_driver_initialize(&driver_entries, name, allocator, &stray);
        """
        install(ON_CREATE=one_line(code))
        refused(
            install, errors.InvalidArgument, "the vtable of driver 'bad' is not one that iree_cy_register_vtable gave"
        )

    @pytest.mark.parametrize("count", ["0", "-5"])
    def test_no_reference(self, install, count):
        code = STRAY.format(vtable="driver_vtable").replace("ref_count = 1", f"ref_count = {count}")
        install(ON_CREATE=one_line(code))
        refused(install, Internal, NO_DRIVER)

    def test_driver_of_another_name(self, install):
        install(ON_CREATE='name = IREE_SV("stranger");')
        refused(install, Internal, "gave a driver with the name 'stranger'; report it to the driver's author")


class TestList:
    """What a driver lists is checked whole whenever it is asked."""

    def refused(self, install, told, cls=Internal, **changes):
        install(**changes)
        error = refused(install, cls, told, lambda: iree_cy.get_driver("bad").query_available_devices())
        for ask in (
            lambda: iree_cy.get_device("bad:0"),
            lambda: iree_cy.get_device("bad://one"),
            lambda: iree_cy.get_driver("bad").dump_device_info(0),
            lambda: iree_cy.get_driver("bad").create_device(0),
        ):
            with pytest.raises(cls) as caught:
                ask()
            assert str(caught.value) == str(error)
        return error

    def test_fails(self, install):
        install(ON_LIST='return iree_make_status(IREE_STATUS_UNAVAILABLE, "the bus is off");')
        with pytest.raises(Unavailable, match="the bus is off"):
            iree_cy.get_driver("bad").query_available_devices()

    def test_fails_and_counts(self, install):
        install(ON_LIST='*out_count = 7; return iree_make_status(IREE_STATUS_UNAVAILABLE, "the bus is off");')
        with pytest.raises(Unavailable, match="the bus is off"):
            iree_cy.get_driver("bad").query_available_devices()

    def test_none(self, install):
        install(ON_LIST="(void)allocator, (void)out_infos; return iree_ok_status();")
        assert iree_cy.get_driver("bad").query_available_devices() == []

    @pytest.mark.parametrize("count", ["1", "SIZE_MAX"])
    def test_count_without_infos(self, install, count):
        told = "query_available_devices returned OK and no infos of the devices it counts"
        self.refused(install, told, ON_LIST=f"*out_count = {count}; *out_infos = NULL; return iree_ok_status();")

    @pytest.mark.parametrize("count", ["4097", "SIZE_MAX", "((size_t)1 << 60)"])
    def test_count_of_garbage(self, install, count):
        code = f"static iree_hal_device_info_t infos; *out_count = {count}; *out_infos = &infos;"
        self.refused(install, " devices, and may list 4096; report it", ON_LIST=code + " return iree_ok_status();")

    @pytest.mark.parametrize("address", ["8", "(uintptr_t)&device_vtable+1"])
    def test_no_address(self, install, address):
        code = f"*out_count = 1; *out_infos = (iree_hal_device_info_t*)({address}); return iree_ok_status();"
        self.refused(install, "its list of devices is at an address that no list can have", ON_LIST=code)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (r'IREE_SV("a\xff")', "that is not UTF-8"),
            (r'IREE_SV("\xed\xa0\x80")', "that is not UTF-8"),
            (r'IREE_SV("\xc0\xaf")', "that is not UTF-8"),
            (r'IREE_SV("a\0b")', "with a NUL in it"),
            ('{"one", 4097}', "of more than 4096 bytes"),
            ('{"one", SIZE_MAX}', "of more than 4096 bytes"),
            ("{NULL, 5}", "with a size and no text"),
            ("{(const char*)9, 5}", "with a size and no text"),
        ],
    )
    @pytest.mark.parametrize("field", ["path", "name"])
    def test_texts(self, install, field, text, told):
        code = f"""
          void* block = NULL;
          IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator, 2 * sizeof(iree_hal_device_info_t), &block));
          memset(block, 0, 2 * sizeof(iree_hal_device_info_t));
          *out_infos = (iree_hal_device_info_t*)block;
          (*out_infos)[1].device_id = 1;
          (*out_infos)[1].{field} = (iree_string_view_t){text};
          *out_count = 2;
          return iree_ok_status();
        """
        told = f"broke the contract: the device at position 1 of its list has a {field} {told}; report it to the"
        self.refused(install, told, ON_LIST=one_line(code))

    @pytest.mark.parametrize(
        ("infos", "told"),
        [
            ("{.device_id = 3},{.device_id = 4},{.device_id = 3}", "2 of its list has the device_id of one before it"),
            (
                '{.path = {"x", 1}},{.device_id = 4, .path = {"x", 1}}',
                "1 of its list has the path of one before it",
            ),
        ],
    )
    def test_twice(self, install, infos, told):
        code = f"""
          static const iree_hal_device_info_t infos[] = {{{infos}}};
          *out_count = IREE_ARRAYSIZE(infos);
          return iree_hal_device_infos_clone(*out_count, infos, allocator, out_infos);
        """
        self.refused(install, told, ON_LIST=one_line(code))

    def test_path_that_no_uri_can_name(self, install):
        install(PATH='IREE_SV("a?b")')
        with pytest.raises(
            errors.FailedPrecondition, match=r"'bad' lists the device path 'a\?b', which no URI can name"
        ):
            iree_cy.get_device("bad:0")

    @pytest.mark.parametrize("text", ["", "\u00e9\u4e2d\U0001f600", "a b/c:d@e%2C&f=g#h", "p" * 4096])
    def test_texts_that_are_good(self, install, text):
        install(PATH=f'IREE_SV("{text}")', DEVICE_NAME=f'IREE_SV("{text}")')
        assert iree_cy.get_driver("bad").query_available_devices() == [{"device_id": 0, "path": text, "name": text}]
        assert iree_cy.get_device(f"bad://{text}") is iree_cy.get_device("bad:0")


class TestDevice:
    def refused(self, install, told, code):
        install(ON_DEVICE=one_line(code))
        refused(install, Internal, told, lambda: iree_cy.get_device("bad"))
        refused(install, Internal, told, lambda: iree_cy.get_driver("bad").create_device(0))

    def test_none(self, install):
        told = "create_device_by_id returned OK and no device; report it to the driver's author"
        self.refused(install, told, "(void)allocator, (void)out_device; return iree_ok_status();")

    @pytest.mark.parametrize("vtable", ["NULL", "&device_entries", "(void*)1", "driver_vtable"])
    def test_vtable_that_is_not_registered(self, install, vtable):
        code = f"""
          static iree_hal_device_t stray;
          stray.resource.ref_count = 1;
          stray.resource.vtable = {vtable};
          *out_device = &stray;
          return iree_ok_status();
        """
        self.refused(install, "create_device_by_id gave what is no device with a registered vtable", code)

    def test_no_address(self, install):
        code = "*out_device = (iree_hal_device_t*)(uintptr_t)7; return iree_ok_status();"
        self.refused(install, "create_device_by_id gave what is no device with a registered vtable", code)

    def test_fails_and_gives_a_device(self, install):
        code = '*out_device = (iree_hal_device_t*)(uintptr_t)7; return iree_make_status(IREE_STATUS_ABORTED, "no");'
        install(ON_DEVICE=code)
        for _ in range(2):
            with pytest.raises(errors.Aborted, match="no"):
                iree_cy.get_device("bad")
        use_good(install)
